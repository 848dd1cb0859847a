"""Asks the questions of Fleet/questions of DuckDB, and of Spark and ClickHouse where pyspark and chdb are installed, and
compares their answers with those that plain loops find in the same rows as JSON Lines.

    questions.py PARQUET JSONL
"""
import collections
import glob
import json
import math
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../Fleet"))
sys.path.append(os.path.join(sys.path[0], "spark"))
import document
import engines
import summarize_job

parquet, lines = sys.argv[1:]
failed = []


def table(name):
    return [json.loads(line) for file in sorted(glob.glob(f"{lines}/{name}/*/*/*.jsonl")) for line in open(file, encoding="utf-8")]


tables = {name: table(name) for name in engines.TABLES}
sessions = {row["session_id"]: row for row in tables["sessions"]}
versions = collections.defaultdict(float)
for row in sessions.values():
    versions[row["app_version"] or ""] += row["sampling_weight"]


def near(a, b):
    return a == b if isinstance(a, str) or a is None or b is None else math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-6)


def compare(name, expected, found):
    if len(expected) != len(found) or not all(near(x, y) for a, b in zip(expected, found) for x, y in zip(a, b)):
        failed.append(f"{name}: {found[:3]} ... and not {expected[:3]} ...")


def wasteful_writes():
    sums = collections.defaultdict(lambda: [0.0, 0.0, 0])
    for row in tables["paths"]:
        session = sessions[row["session_id"]]
        found = sums[session["app_version"] or "", row["path_kind"]]
        found[0] += row["wasted_ns"] * session["sampling_weight"]
        found[1] += row["wasted_runs"] * session["sampling_weight"]
        found[2] += 1
    rows = [(v, kind, ns / versions[v], runs / versions[v], n) for (v, kind), (ns, runs, n) in sums.items() if ns > 0]
    return sorted(rows, key=lambda row: (row[0], -row[2], row[1]))


def worse():
    """By the textbook's variance of a weighted mean, over all sessions, zeros included."""
    costs = collections.defaultdict(lambda: collections.defaultdict(float))
    for role, rows, kind, cost in ("write", "paths", "path_kind", "wasted_ns"), ("projection", "projections", "kind", "total_ns"):
        for row in tables[rows]:
            costs[role, row[kind]][row["session_id"]] += row[cost]
    found = []
    for (role, kind), of in costs.items():
        for device in {row["device_class"] or "" for row in sessions.values()}:
            groups = [[row for row in sessions.values() if row["app_version"] == v and (row["device_class"] or "") == device] for v in ("1.5", "1.6")]
            if sum(row["session_id"] in of for row in groups[1]) < 30 or len(groups[0]) < 30:
                continue
            means, variances = [], []
            for group in groups:
                weight = sum(row["sampling_weight"] for row in group)
                mean = sum(row["sampling_weight"] * of.get(row["session_id"], 0) for row in group) / weight
                means.append(mean)
                variances.append(sum((row["sampling_weight"] * (of.get(row["session_id"], 0) - mean)) ** 2 for row in group) / weight**2)
            more, margin = means[1] - means[0], 2.576 * math.sqrt(sum(variances))
            if more > margin and means[1] > 1.05 * means[0]:
                count = sum(row["session_id"] in of for row in groups[1])
                found.append((role, kind, device, means[0], means[1], more - margin, more + margin, count))
    return sorted(found, key=lambda row: (row[3] - row[4], row[:3]))


def durations_by_device():
    buckets = collections.defaultdict(list)
    for row in tables["durations"]:
        buckets[row["kind"], row["device_class"] or ""].append((row["bucket"], row["high_ns"], row["weighted_count"]))
    rows = []
    for (kind, device), of in buckets.items():
        runs = sum(count for _, _, count in of)
        found = []
        for share in 0.5, 0.95:
            passed = 0
            for _, high, count in sorted(of):
                passed += count
                if passed >= share * runs:
                    found.append(high)
                    break
        rows.append((kind, device, runs, *found))
    return sorted(rows)


def new_shapes():
    seen = collections.defaultdict(list)
    for row in tables["cascades"]:
        seen[sessions[row["session_id"]]["app_version"], row["shape_hash"]].append((row, sessions[row["session_id"]]["sampling_weight"]))
    trees = {row["shape_hash"]: row["tree"] for row in tables["shapes"]}
    rows = []
    for (version, shape), of in seen.items():
        if version == "1.6" and ("1.5", shape) not in seen:
            rows.append((shape, of[0][0]["root_path_kind"], len(of), sum(row["count"] * w for row, w in of),
                         sum(row["total_ns"] * w for row, w in of), trees[shape]))
    return sorted(rows, key=lambda row: (-row[4], row[0]))


def nulls_last(value):
    return value is None, value or ""


def rule_sessions():
    rows = [(sessions[row["session_id"]]["app_version"], row["subject"], row["path_kind"], row["saves_ns"], row["session_id"],
             sessions[row["session_id"]]["log_uri"], row["evidence_seq"]) for row in tables["findings"] if row["rule"] == "excess-reads"]
    return sorted(rows, key=lambda row: (-row[3], row[4], nulls_last(row[1]), nulls_last(row[2]), row[6]))


def to_open():
    costs = collections.defaultdict(float)
    worst = {}
    for row in tables["paths"]:
        session = sessions[row["session_id"]]
        if session["app_version"] == "1.6" and row["wasted_ns"] > 0:
            costs[row["path_kind"]] += row["wasted_ns"] * session["sampling_weight"]
            best = worst.get(row["path_kind"])
            if best is None or (-row["wasted_ns"], row["session_id"]) < (-best["wasted_ns"], best["session_id"]):
                worst[row["path_kind"]] = row
    rows = []
    for place, kind in enumerate(sorted(costs, key=lambda kind: (-costs[kind], kind))[:5], start=1):
        row = worst[kind]
        of = [c for c in tables["cascades"] if c["session_id"] == row["session_id"] and c["root_path_kind"] in (f"set {kind}", f"splice {kind}", f"remove {kind}")]
        page = f"session-{place}.html"
        if of:
            page += f'#event={min(of, key=lambda c: (-c["total_ns"], c["exemplar_seq"]))["exemplar_seq"]}'
        log = sessions[row["session_id"]]["log_uri"].replace("'", "'\\''")
        rows.append((kind, row["wasted_ns"], row["session_id"],
                     f"replay report '{log}' -o session-{place}.html", page))
    return rows


expected = {"wasteful-writes": wasteful_writes(), "worse": worse(), "durations-by-device": durations_by_device(),
            "new-shapes": new_shapes(), "rule-sessions": rule_sessions(), "open": to_open()}
connection = engines.duckdb_views(parquet)
answers = {}
for name in engines.QUESTIONS:
    if not expected[name]:
        failed.append(f"{name}: these sessions have nothing of it")
    answers[name] = engines.by_duckdb(connection, name)
    compare(f"DuckDB: {name}", expected[name], answers[name][1])

try:
    clickhouse = engines.clickhouse_views(parquet)
except ImportError:
    print("chdb is not here: the questions were not asked of ClickHouse")
else:
    for name in engines.QUESTIONS:
        found = engines.difference(name, answers[name], engines.by_clickhouse(clickhouse, name))
        if found:
            failed.append(f"ClickHouse: {name}: {found}")

try:
    from pyspark.sql import SparkSession
except ImportError:
    print("pyspark is not here: the questions were not asked of Spark")
else:
    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config(
        "spark.sql.shuffle.partitions", "1").config(
        "spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    engines.spark_views(spark, parquet)
    for name in engines.QUESTIONS:
        found = engines.difference(name, answers[name], engines.by_spark(spark, name))
        if found:
            failed.append(f"Spark: {name}: {found}")
    # The tables that Fleet/spark makes of the lines equal those that the program itself writes.
    for name in ["sessions", "failures"]:
        rows = [("", "", name, json.dumps(row)) for row in tables[name]]
        found = spark.createDataFrame(rows, "day string, version string, table string, row string")
        own = spark.read.parquet(f"{parquet}/{name}").drop("day", "version")
        made = summarize_job.rows_of(found, name, own.schema).drop("day", "version")
        both = [sorted((tuple(row) for row in of.collect()), key=str) for of in (own, made)]
        if own.schema != made.schema or both[0] != both[1]:
            failed.append(f"Spark: {name}: {both[1][:1]} and not {both[0][:1]}")
    spark.stop()

if not document.is_current():
    failed.append("Fleet/questions/README.md has other questions: make fleet DOCUMENT=1")
if failed:
    sys.exit("\n".join(failed))
