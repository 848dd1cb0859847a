"""The events of chosen logs as rows: a data source for Spark 4, for questions that no table answers.

    spark.dataSource.register(ReplayEvents)
    events = spark.read.format("replay").option("replay", "/usr/local/bin/replay").load("logs/1.evlog,logs/2.evlog")

Each log is a partition, read by `replay export` on a worker, which must see the file. `event` is the whole line, as JSONLINES.md
has it; the columns before it are what is asked most. Values that were recorded are in `event`: see who may read it.
"""
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

COLUMNS = ["kind", "path", "projection", "label", "duration_ns", "changed", "cause", "site"]


class ReplayEvents(DataSource):
    @classmethod
    def name(cls):
        return "replay"

    def schema(self):
        return ("log string, seq bigint, time_ns bigint, kind string, path string, projection string, label string, "
                "duration_ns bigint, changed boolean, cause bigint, site string, event string")

    def reader(self, schema):
        return EventReader(self.options)


class EventReader(DataSourceReader):
    def __init__(self, options):
        self.replay = options.get("replay", "replay")
        self.logs = [log for log in options["path"].split(",") if log]

    def partitions(self):
        return [InputPartition(log) for log in self.logs]

    def read(self, partition):
        import json, subprocess

        log = partition.value.removeprefix("file:")
        with subprocess.Popen([self.replay, "export", log], stdout=subprocess.PIPE, text=True, encoding="utf-8") as run:
            for line in run.stdout:
                event = json.loads(line)
                yield (log, event["seq"], event["time_ns"], *(event.get(column) for column in COLUMNS), line.rstrip("\n"))
        # 3: the events before the damage were read.
        if run.returncode not in (0, 3):
            raise RuntimeError(f"{log}: replay export ended with {run.returncode}")
