"""Asks the questions of Fleet/questions of DuckDB, and of Spark and ClickHouse where pyspark and chdb are installed, and
compares their answers with those that plain loops find in the same rows as JSON Lines.

With DIFFERENCES, a JSON file of what `replay fleet diff` says of these tables, it asks worse.sql alone, of DuckDB: it has to have
the same lines.

    questions.py PARQUET JSONL [DIFFERENCES]
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

parquet, lines, *differences = sys.argv[1:]
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


def worse(before, after, dimensions=()):
    """Session by session and app by app, as SUMMARIES.md says it."""
    whole = [row for row in sessions.values()
             if row["app_version"] in (before, after) and row["log_state"] not in ("torn", "damaged", "recording")]
    return [row for app in sorted({row["app"] for row in whole})
            for row in worse_in([row for row in whole if row["app"] == app], app, after, dimensions)]


def worse_in(whole, app, after, dimensions):
    own = {row["session_id"] for row in whole}
    costs = collections.defaultdict(dict)
    for role, rows, kind, cost in ("write", "paths", "path_kind", "wasted_ns"), ("projection", "projections", "kind", "total_ns"), ("action", "actions", "kind", "total_ns"):
        for row in tables[rows]:
            if row["session_id"] in own:
                costs[role, row[kind]][row["session_id"]] = row[cost]
    groups = collections.defaultdict(lambda: ([], []))
    for row in whole:
        groups[row["device_class"] or "", tuple(row.get(name) for name in dimensions)][row["app_version"] == after].append(row)
    groups = {stratum: sides for stratum, sides in groups.items() if min(map(len, sides)) >= 8}
    total = sum(row["sampling_weight"] for sides in groups.values() for side in sides for row in side)

    def moments(side, of, most):
        """The weights and costs of a side, the sums of the first three powers of its weights, and its mean."""
        values = [(row["sampling_weight"], min(of.get(row["session_id"], 0), most)) for row in side]
        w, ww, www = (sum(weight**power for weight, _ in values) for power in (1, 2, 3))
        return values, w, ww, www, sum(weight * x for weight, x in values) / w

    def powers(values, mean, power):
        return sum((weight * (x - mean)) ** power for weight, x in values)

    lines = []
    for (role, kind), of in costs.items():
        if len({row["app_version"] for row in whole if row["session_id"] in of}) < 2:
            continue
        parts = []
        for (device, _), sides in groups.items():
            had = sorted((of[row["session_id"]] for side in sides for row in side if row["session_id"] in of), reverse=True)
            most = had[int(0.02 * len(had))] if had else 0
            both = [moments(side, of, most) for side in sides]
            weight = sum(w for _, w, _, _, _ in both)
            together = sum(w * mean for _, w, _, _, mean in both) / weight
            spread = sum(powers(values, together, 2) for values, _, _, _, _ in both) / sum(ww for _, _, ww, _, _ in both)
            third = sum(powers(values, together, 3) for values, _, _, _, _ in both) / sum(www for _, _, _, www, _ in both)
            variances = [(max(powers(values, mean, 2) / ww, spread) / max(1, w * w / ww - 1), max(1, w * w / ww - 1))
                         for values, w, ww, _, mean in both]
            skew = third * (both[1][3] / both[1][1] ** 3 - both[0][3] / both[0][1] ** 3)
            parts.append((device, weight / total, [mean for _, _, _, _, mean in both], variances, [len(side) for side in sides],
                          [sum(row["session_id"] in of for row in side) for side in sides], skew))
        devices = sorted({part[0] for part in parts})
        for name, chosen in [("all", parts)] + ([(name, [part for part in parts if part[0] == name]) for name in devices] if len(devices) > 1 else []):
            of_all = sum(part[1] for part in chosen)
            shares = [part[1] / of_all for part in chosen]
            means = [sum(s * part[2][side] for s, part in zip(shares, chosen)) for side in (0, 1)]
            v = sum(s**2 * variance for s, part in zip(shares, chosen) for variance, _ in part[3])
            counts = [sum(part[4][side] for part in chosen) for side in (0, 1)]
            having = [sum(part[5][side] for part in chosen) for side in (0, 1)]
            if min(counts) < 30 or sum(having) < 30:
                continue
            more = means[1] - means[0]
            if v > 0:
                f = max(1, v * v / sum((s**2 * variance) ** 2 / freedom for s, part in zip(shares, chosen) for variance, freedom in part[3]))
                scale = (8 * f + 1) / (8 * f + 3)
                z = scale * math.sqrt(f * math.log1p(more * more / v / f))
                skew = sum(s**3 * part[6] for s, part in zip(shares, chosen)) / v**1.5 * (1 if more > 0 else -1)
                skew = min(max(0, skew), 1)
                p = math.erfc(max(0, z - skew * max(0, min(z, 3 / skew if skew else z) ** 2 - 1) / 6) / math.sqrt(2))
                margin = math.sqrt(v * f * math.expm1((2.576 / scale) ** 2 / f))
            else:
                p, margin = (1 if more == 0 else 0), 0
            lines.append({"role": role, "kind": kind, "name": name, "is_all": chosen is parts, "p": p, "more": more, "share": of_all,
                          "row": (means[0], means[1], more - margin, more + margin, having[1])})
    lines.sort(key=lambda line: line["p"])
    bound = max((line["p"] for place, line in enumerate(lines, 1) if line["p"] <= 0.05 * place / len(lines)), default=-1)
    for line in lines:
        line["worse"] = line["p"] <= min(bound, 0.01) and line["more"] >= 1000 and line["row"][1] > 1.05 * line["row"][0]
    found = []
    for subject in costs:
        own = [line for line in lines if (line["role"], line["kind"]) == subject]
        classes = [line for line in own if not line["is_all"]]
        all_worse = [line for line in own if line["is_all"] and line["worse"]]
        if all_worse and (len(classes) > 1 or len({device for device, _ in groups}) == 1) and all(line["p"] <= 0.05 and line["more"] > 0 for line in classes):
            found += [(line, "all") for line in all_worse]
        elif any(line["worse"] for line in classes):
            found += [(line, line["name"]) for line in classes if line["worse"]]
        else:
            found += [(line, "average") for line in all_worse]
    found.sort(key=lambda pair: (-pair[0]["more"] * pair[0]["share"], pair[0]["role"], pair[0]["kind"], pair[1]))
    return [(app, line["role"], line["kind"], devices, *line["row"]) for line, devices in found]


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


def compare_differences(file):
    for case in json.load(open(file, encoding="utf-8")):
        before, after, app, dimensions = case["before"], case["after"], case["app"], case["dimensions"]
        name = f"worse from {before} to {after} of {app}" + (f" by {', '.join(dimensions)}" if dimensions else "")
        asked = [tuple(row) for row in connection.execute(engines.worse(before, after, dimensions)).fetchall()]
        compare(f"DuckDB: {name}", worse(before, after, dimensions), asked)
        asked, found = [row[1:4] for row in asked if row[0] == app], engines.worse_in(case["difference"])
        if sorted(asked) != sorted(found):
            failed.append(f"{name}: {asked}, and fleet diff has {found}")


connection = engines.duckdb_views(parquet)
if differences:
    compare_differences(differences[0])
    sys.exit("\n".join(failed) or 0)
expected = {"wasteful-writes": wasteful_writes(), "worse": worse("1.5", "1.6"), "durations-by-device": durations_by_device(),
            "new-shapes": new_shapes(), "rule-sessions": rule_sessions(), "open": to_open()}
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
    sys.exit("\n".join(failed) or 0)
