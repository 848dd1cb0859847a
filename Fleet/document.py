"""Puts the questions, and answers to them, into Fleet/questions/README.md."""
import re

import engines

README = f"{engines.FOLDER}/questions/README.md"


def block(kind, name, text, language):
    return f"<!-- {kind} {name} -->\n```{language}\n{text.rstrip()}\n```\n<!-- end -->"


def put(readme, kind, name, text, language=""):
    """The page with a block of this kind replaced."""
    place = re.compile(rf"<!-- {kind} {name} -->(\n```.*?```\n<!-- end -->)?", re.DOTALL)
    return place.sub(lambda _: block(kind, name, text, language), readme, count=1)


def cell(value):
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}"
    text = str(value).split("\n")[0]
    return text if len(text) <= 64 else text[:63] + "…"


def table(columns, rows, shown=6):
    cells = [columns] + [[cell(value) for value in row] for row in rows[:shown]]
    widths = [max(len(row[index]) for row in cells) for index in range(len(columns))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in cells]
    return "\n".join(lines + ([f"and {len(rows) - shown} more rows"] if len(rows) > shown else []))


def sql():
    with open(README, encoding="utf-8") as file:
        readme = file.read()
    for name in engines.QUESTIONS:
        readme = put(readme, "sql", name, engines.question(name), "sql")
    return readme


def write(answers):
    readme = sql()
    for name, (columns, rows) in answers.items():
        readme = put(readme, "answer", name, table(columns, rows))
    with open(README, "w", encoding="utf-8") as file:
        file.write(readme)


def is_current():
    """Whether the questions in the page are up to date."""
    with open(README, encoding="utf-8") as file:
        return file.read() == sql()
