"""Prints what pyarrow and DuckDB read from Parquet files, for ParquetTests to compare.

    tables.py FILE...          for each reader and file: its columns, then its rows
    tables.py --skipped FILE COLUMN VALUE
                               how many row groups pyarrow can skip that looks for a value in a column, and what DuckDB finds
                               and reads

A row is a line; a value is its type and its bits or digits, so that equal lines are equal values.
"""
import struct
import sys

import duckdb
import pyarrow
import pyarrow.compute
import pyarrow.parquet


def word(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "b" + str(int(value))
    if isinstance(value, int):
        return "i" + str(value)
    if isinstance(value, float):
        return "dnan" if value != value else "d" + struct.pack(">d", value).hex()
    return "t" + value.encode().hex()


def lines(columns, rows):
    print(" ".join(columns))
    for row in rows:
        print(" ".join(word(value) for value in row))


def by_pyarrow(path):
    table = pyarrow.parquet.ParquetFile(path).read()
    names = {"int64": "integer", "bool": "boolean", "string": "text", "timestamp[us, tz=UTC]": "timestamp"}
    columns = []
    values = []
    for field, column in zip(table.schema, table.columns):
        kind = str(field.type)
        columns.append(f"{field.name}:{names.get(kind, kind)}{'?' if field.nullable else ''}")
        values.append((column.cast(pyarrow.int64()) if kind.startswith("timestamp") else column).to_pylist())
    lines(columns, zip(*values))


def by_duckdb(path):
    relation = duckdb.sql(f"FROM read_parquet('{path}')")
    names = {"BIGINT": "integer", "TIMESTAMP WITH TIME ZONE": "timestamp", "VARCHAR": "text"}
    columns = []
    values = []
    for name, kind in zip(relation.columns, map(str, relation.types)):
        columns.append(f"{name}:{names.get(kind, kind.lower())}")
        quoted = f'"{name}"'
        values.append(f"epoch_us({quoted})" if kind.startswith("TIMESTAMP") else quoted)
    lines(columns, relation.project(", ".join(values)).fetchall())


def skipped(path, column, value):
    metadata = pyarrow.parquet.ParquetFile(path).metadata
    index = metadata.schema.names.index(column)
    number = type_of(metadata.schema.column(index).physical_type)(value)
    bounds = [metadata.row_group(group).column(index).statistics for group in range(metadata.num_row_groups)]
    print(metadata.num_row_groups, sum(not b.min <= number <= b.max for b in bounds))
    plan = duckdb.sql(f"EXPLAIN ANALYZE FROM '{path}' WHERE \"{column}\" = '{value}'").fetchall()[0][1]
    print(" ".join(plan.replace("│", " ").split()))


def type_of(physical):
    return {"INT64": int, "DOUBLE": float, "BYTE_ARRAY": str}[physical]


if sys.argv[1] == "--skipped":
    skipped(*sys.argv[2:])
else:
    for read in by_pyarrow, by_duckdb:
        for path in sys.argv[1:]:
            print("==>", read.__name__, path)
            read(path)
