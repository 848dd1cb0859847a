"""Asks the questions of Fleet/questions of DuckDB, Spark and ClickHouse: used by tests and by Fleet/check.py."""
import json
import math
import os

FOLDER = os.path.dirname(os.path.abspath(__file__))
TABLES = ["sessions", "paths", "projections", "durations", "cascades", "shapes", "actions", "findings", "failures"]
QUESTIONS = ["wasteful-writes", "worse", "durations-by-device", "new-shapes", "rule-sessions", "open"]


def question(name):
    with open(f"{FOLDER}/questions/{name}.sql", encoding="utf-8") as file:
        return file.read()


def worse(before, after, dimensions=()):
    """The question what got worse between two versions, of sessions that are told apart by these columns too."""
    both = ", '/', ".join(f"coalesce(s.{column}, '')" for column in dimensions)
    text = question("worse")
    for own, asked in [("'1.5' AS version_before, '1.6' AS version_after", f"'{before}' AS version_before, '{after}' AS version_after"),
                       ("'' AS dimensions", f"concat({both}, '') AS dimensions" if dimensions else "'' AS dimensions")]:
        assert text.count(own) == 1, own
        text = text.replace(own, asked)
    return text


def worse_in(difference):
    """What got worse according to the JSON of `replay fleet diff`, as the question names it."""
    return [(line["role"], line["kind"], line.get("device_class", "") if line["scope"] == "device" else line["scope"])
            for line in difference["worse"]]


def duckdb_views(summaries):
    """A connection with the tables as views, made by Fleet/duckdb.sql."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET VARIABLE summaries = " + "'" + summaries.replace("'", "''") + "'")
    with open(f"{FOLDER}/duckdb.sql", encoding="utf-8") as file:
        connection.execute(file.read())
    return connection


def has_same_rows(connection, table, other, columns, rest=""):
    """Whether the tables of another folder answer `SELECT columns FROM table rest` with the same rows, in any order. In DuckDB: a
    hundred thousand sessions have more rows than Python has memory for."""
    files = f"{other}/{table}/*/*/*.parquet".replace("'", "''")
    theirs = f"read_parquet('{files}', union_by_name = true, hive_partitioning = true, hive_types = {{'day': VARCHAR, 'version': VARCHAR}})"
    ours, theirs = (f"SELECT {columns} FROM {source} {rest}" for source in (table, theirs))
    differ = f"SELECT count(*) FROM (({ours}) EXCEPT ALL ({theirs}))", f"SELECT count(*) FROM (({theirs}) EXCEPT ALL ({ours}))"
    return all(connection.execute(question).fetchone()[0] == 0 for question in differ)


def by_duckdb(connection, name):
    found = connection.execute(question(name))
    return [column[0] for column in found.description], [tuple(row) for row in found.fetchall()]


def spark_views(spark, summaries):
    """The tables as views of a session. Without the setting, Spark takes version 1.10 for the number 1.1."""
    spark.conf.set("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
    for table in TABLES:
        spark.read.option("mergeSchema", "true").parquet(f"{summaries}/{table}").createOrReplaceTempView(table)


def by_spark(spark, name):
    found = spark.sql(question(name))
    return found.columns, [tuple(row) for row in found.collect()]


def clickhouse_views(summaries):
    """A session of ClickHouse in this process with the tables as views, made by Fleet/clickhouse.sql. Needs the package chdb."""
    from chdb.session import Session

    with open(f"{FOLDER}/clickhouse.sql", encoding="utf-8") as file:
        script = file.read()
    folder = summaries.replace("\\", "\\\\").replace("'", "\\'")
    session = Session()
    for statement in script.replace("'summaries/", f"'{folder}/").split(";\n"):
        if statement.strip():
            session.query(statement)
    return session


def by_clickhouse(session, name):
    lines = str(session.query(question(name), "JSONCompactEachRowWithNames")).splitlines()
    columns, *rows = [json.loads(line) for line in lines]
    return columns, [tuple(row) for row in rows]


# Questions whose order does not depend on a sum of floating-point numbers.
ORDERED = ["durations-by-device", "rule-sessions"]


def difference(name, first, second):
    """In what two answers to a question differ; None if in nothing. Sums of floating-point numbers differ in their last digits, so
    rows whose order rests on one may have changed places: these are compared in an order of their own."""
    if first[0] != second[0]:
        return f"columns {first[0]} and {second[0]}"
    if len(first[1]) != len(second[1]):
        return f"{len(first[1])} rows and {len(second[1])}"

    def key(row):
        return tuple(f"{value:.6g}" if isinstance(value, float) else str(value) for value in row)

    both = [answer[1] if name in ORDERED else sorted(answer[1], key=key) for answer in (first, second)]
    for a, b in zip(*both):
        for x, y in zip(a, b):
            same = math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-6) if isinstance(x, float) or isinstance(y, float) else x == y
            if not same:
                return f"{a} and {b}"
    return None
