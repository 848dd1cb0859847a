"""Summarises logs of any store that Spark reads, on its workers, into the tables of `replay summarize`.

    spark-submit summarize_job.py LOGS OUTPUT [REPLAY]

LOGS is a path or a pattern as Spark takes it; folders are looked into. OUTPUT must not exist: each run has a folder of its own,
so that none replaces what another found. REPLAY is the program on the workers (default: `replay` in their PATH).

A log of several files (`run.evlog`, `run.0002.evlog`) must be one file: `replay merge` makes it so.
"""
import sys

TABLES = ["sessions", "paths", "projections", "durations", "cascades", "shapes", "actions", "findings", "failures"]


def summarise(replay):
    """The work of each worker: makes rows, as JSON, from the logs of a batch."""

    def rows(batches):
        import json, os, pandas, subprocess, tempfile, urllib.parse

        for batch in batches:
            with tempfile.TemporaryDirectory() as folder:
                names = {}
                for number, (path, content) in enumerate(zip(batch["path"], batch["content"])):
                    name = os.path.join(folder, f"{number}.evlog")
                    names[name] = path.removeprefix("file:")
                    with open(name, "wb") as file:
                        file.write(content)
                run = subprocess.run(
                    [replay, "summarize", "--files-from", "-", "-o", f"{folder}/out", "--format", "jsonl"],
                    input="\n".join(names), text=True, capture_output=True)
                # 3: some logs cannot be read; they are rows of failures.
                if run.returncode not in (0, 3):
                    raise RuntimeError(run.stderr)
                found = {"table": [], "day": [], "version": [], "row": []}
                for parent, _, files in os.walk(f"{folder}/out"):
                    for file in files:
                        table, day, version = os.path.relpath(parent, f"{folder}/out").split(os.sep)
                        for line in open(os.path.join(parent, file), encoding="utf-8"):
                            if table in ("sessions", "failures"):
                                row = json.loads(line)
                                row["log_uri"] = names[row["log_uri"]]
                                line = json.dumps(row, ensure_ascii=False)
                            found["table"].append(table)
                            for key, value in (("day", day), ("version", version)):
                                text = urllib.parse.unquote(value.partition("=")[2])
                                found[key].append(None if value.endswith("=__HIVE_DEFAULT_PARTITION__") else text)
                            found["row"].append(line)
                yield pandas.DataFrame(found)

    return rows


def schemas(spark, replay):
    """The columns of each table, from empty tables that the program itself writes."""
    import subprocess, tempfile

    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([replay, "summarize", f"{folder}/none.evlog", "-o", f"{folder}/out"], capture_output=True)
        return {table: spark.read.parquet(f"{folder}/out/{table}/*/*/log-none.parquet").schema for table in TABLES}


def with_dimensions(found, schema):
    """The columns of `sessions`, with one for each dimension that a session of this run has."""
    from pyspark.sql import functions
    from pyspark.sql.types import StringType, StructField, StructType

    keys = found.where(functions.col("table") == "sessions").select(
        functions.explode(functions.expr("json_object_keys(row)")).alias("key")).where("startswith(key, 'dim_')").distinct()
    names = sorted(row["key"] for row in keys.collect())
    return StructType(list(schema) + [StructField(name, StringType(), True) for name in names])


def rows_of(found, table, schema):
    """The rows of one table, of what summarise() yields, in columns with their day and version. Lines have moments as
    microseconds, which from_json would take for seconds."""
    from pyspark.sql import functions
    from pyspark.sql.types import LongType, StructField, StructType, TimestampType

    moments = {field.name for field in schema if isinstance(field.dataType, TimestampType)}
    line = StructType([
        StructField(field.name, LongType() if field.name in moments else field.dataType, field.nullable) for field in schema])
    rows = found.where(functions.col("table") == table).select(
        functions.from_json("row", line, {"mode": "FAILFAST"}).alias("of"), "day", "version").select("of.*", "day", "version")
    for name in moments:
        rows = rows.withColumn(name, functions.timestamp_micros(name))
    return rows


def run(spark, logs, output, replay="replay"):
    # A task for many small logs, not for 32 as Spark's default: each table is made by one pass over all tasks.
    spark.conf.set("spark.sql.files.openCostInBytes", str(64 << 10))
    # Small batches: the logs of one batch are in memory. The output has the form that `replay fleet` reads, which
    # every engine accepts.
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "256")
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    spark.sparkContext._jsc.hadoopConfiguration().set("parquet.enable.dictionary", "false")
    columns = schemas(spark, replay)
    files = spark.read.format("binaryFile").option("pathGlobFilter", "*.evlog").option("recursiveFileLookup", "true")
    found = files.load(logs).select("path", "content").mapInPandas(
        summarise(replay), "table string, day string, version string, row string").cache()
    for table in TABLES:
        rows = rows_of(found, table, with_dimensions(found, columns[table]) if table == "sessions" else columns[table])
        if rows.isEmpty():
            # An engine cannot know the columns of a table without files. So an empty table gets a file, in the
            # partition for missing values, which is no log's day.
            none = "__HIVE_DEFAULT_PARTITION__"
            rows.drop("day", "version").write.parquet(f"{output}/{table}/day={none}/version={none}")
        else:
            rows.write.partitionBy("day", "version").option("compression", "zstd").parquet(f"{output}/{table}")
    found.unpersist()


if __name__ == "__main__":
    from pyspark.sql import SparkSession

    run(SparkSession.builder.appName("replay summarize").getOrCreate(), *sys.argv[1:])
