"""Finds a planted fault in the logs of many sessions with every available tool. `make fleet` runs it.

    check.py REPLAY SESSIONS_PROGRAM FOLDER SESSIONS [--no-clickhouse] [--no-spark] [--document]

It makes the logs, summarises them, asks `replay fleet`, DuckDB, ClickHouse and Spark (a standalone master with two workers on
loopback), and prints what each took. It fails where one of them does not find the fault, or two differ.
"""
import contextlib
import itertools
import json
import os
import resource
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import document
import engines

# Planted by Fleet/Generator.
FAULT = {"app": "mail", "write": "presence.polls", "projection": "Dot", "device_class": "phone-small", "version": "1.6"}
failures = []
# What is printed at the end: what something took, and what was seen.
figures = {}


def expect(is_so, what):
    print(("  ok      " if is_so else "  FAILED  ") + what, flush=True)
    if not is_so:
        failures.append(what)


@contextlib.contextmanager
def timed(what):
    start = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    yield
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    taken = f"{time.monotonic() - start:.1f} s, {cpu:.1f} s of CPU in processes"
    figures[what] = taken
    print(f"{what}: {taken}", flush=True)


def run(*arguments, statuses=(0,)):
    """A process: its output, and its peak memory in MiB."""
    done = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    output = done.stdout.read()
    _, status, usage = os.wait4(done.pid, 0)
    done.returncode = os.waitstatus_to_exitcode(status)
    if done.returncode not in statuses:
        raise SystemExit(f"{' '.join(arguments)} ended with {done.returncode}")
    return output, usage.ru_maxrss / 1024


def folder_bytes(folder):
    return sum(os.path.getsize(os.path.join(parent, file)) for parent, _, files in os.walk(folder) for file in files)


def found(way, is_so, what):
    """Whether one of the ways to ask found the planted fault."""
    figures.setdefault("found by", {}).setdefault(way, True)
    figures["found by"][way] &= is_so
    expect(is_so, what)


def print_figures():
    ways = figures.pop("found by", {})
    print("\nfigures")
    for what, taken in figures.items():
        print(f"  {what}: {taken}")
    print("  the planted fault: " + ", ".join(f"{way} {'found it' if is_so else 'MISSED IT'}" for way, is_so in ways.items()))


def check_fleet(replay, summaries):
    with timed("replay fleet diff"):
        output, memory = run(
            replay, "fleet", "diff", f"{summaries}@1.5", f"{summaries}@1.6", "--app", "mail", "--format", "json", statuses=(0, 1))
    worse = json.loads(output)["worse"]
    print(f"  {len(worse)} lines, {memory:.0f} MiB")
    for role in ("write", "projection"):
        line = next((line for line in worse if line["role"] == role and line["kind"] == FAULT[role]), None)
        found("fleet diff", line is not None and line["scope"] == "device" and line["device_class"] == FAULT["device_class"],
              f"fleet diff finds {role} {FAULT[role]} on {FAULT['device_class']}")
    expect(bool(worse) and worse[0]["kind"] in (FAULT["write"], FAULT["projection"]), "and puts it first")
    strangers = [line["kind"] for line in worse if line["kind"] not in (FAULT["write"], FAULT["projection"])]
    print(f"  beside it: {strangers or 'nothing'}")
    output, _ = run(replay, "fleet", "diff", f"{summaries}@1.4", f"{summaries}@1.5", "--app", "mail", "--format", "json", statuses=(0, 1))
    print(f"  between versions without a fault: {[line['kind'] for line in json.loads(output)['worse']] or 'nothing'}")
    with timed("replay fleet top"):
        output, memory = run(replay, "fleet", "top", f"{summaries}@1.6", "--app", "mail", "--format", "json")
    kinds = [line["kind"] for line in json.loads(output)["writes"]]
    earlier = [line["kind"] for line in json.loads(run(
        replay, "fleet", "top", f"{summaries}@1.5", "--app", "mail", "--format", "json")[0])["writes"]]
    found("fleet top", FAULT["write"] in kinds[:20] and FAULT["write"] not in earlier, f"fleet top has {FAULT['write']} in 1.6 alone")


def check_worse(replay, summaries, views):
    """worse.sql and `fleet diff` have the same lines, of every app and every two versions."""
    apps = [row[0] for row in views.execute("SELECT DISTINCT app FROM sessions ORDER BY app").fetchall()]
    for before, after in itertools.combinations(sorted(row[0] for row in views.execute("SELECT DISTINCT app_version FROM sessions").fetchall()), 2):
        rows = views.execute(engines.worse(before, after)).fetchall()
        for app in apps:
            output, _ = run(replay, "fleet", "diff", f"{summaries}@{before}", f"{summaries}@{after}", "--app", app, "--format", "json",
                            statuses=(0, 1, 4))
            lines, asked = engines.worse_in(json.loads(output)), [row[1:4] for row in rows if row[0] == app]
            expect(sorted(lines) == sorted(asked), f"worse.sql has the {len(lines)} lines of fleet diff from {before} to {after} of {app}"
                   + ("" if sorted(lines) == sorted(asked) else f": {asked} and not {lines}"))


def check_answers(answers, engine):
    def rows(name):
        columns, answer = answers[name]
        return [dict(zip(columns, row)) for row in answer]

    worse = [(row["role"], row["kind"], row["devices"]) for row in rows("worse") if row["app"] == FAULT["app"]]
    for role in ("write", "projection"):
        found(engine, (role, FAULT[role], FAULT["device_class"]) in worse, f"{engine}: worse.sql finds {role} {FAULT[role]}")
        expect(not any(kind == FAULT[role] and device != FAULT["device_class"] for _, kind, device in worse),
               f"{engine}: and on no other class")
    writes = {(row["app_version"], row["path_kind"]) for row in rows("wasteful-writes")}
    expect((FAULT["version"], FAULT["write"]) in writes and ("1.5", FAULT["write"]) not in writes,
           f"{engine}: wasteful-writes.sql has it in {FAULT['version']} alone")
    expect(any(row["root_path_kind"] == f"set {FAULT['write']}" for row in rows("new-shapes")),
           f"{engine}: new-shapes.sql has its cascade")
    expect(any(row["path_kind"] == FAULT["write"] and FAULT["device_class"] for row in rows("rule-sessions")),
           f"{engine}: rule-sessions.sql has sessions that show it")
    expect(any(row["path_kind"] == FAULT["write"] for row in rows("open")), f"{engine}: open.sql has a session to open")
    p50 = {(row["kind"], row["device_class"]): row["p50_ns"] for row in rows("durations-by-device")}
    expect(p50[("Row", "phone-small")] > 3 * p50[("Row", "desktop")],
           f"{engine}: durations-by-device.sql has a small phone slower than a desktop")
    return rows


def expect_agreement(engine, name, answer, by_duckdb):
    differs = engines.difference(name, by_duckdb, answer)
    expect(differs is None, f"{engine} and DuckDB agree in {name}.sql" + (f": {differs}" if differs else ""))


def check_clickhouse(summaries, views, by_duckdb):
    with timed("ClickHouse: all questions"):
        session = engines.clickhouse_views(summaries)
        answers = {name: engines.by_clickhouse(session, name) for name in engines.QUESTIONS}
    for table in engines.TABLES:
        count = int(str(session.query(f"SELECT count() FROM {table}", "TSV")))
        expect(count == views.execute(f"SELECT count(*) FROM {table}").fetchone()[0], f"ClickHouse: {table} has {count} rows")
    for name, answer in answers.items():
        expect_agreement("ClickHouse", name, answer, by_duckdb[name])
    check_answers(answers, "ClickHouse")


def without(folder, answer):
    """An answer with paths as they would be at the top of a folder of logs."""
    columns, rows = answer
    return columns, [tuple(v.replace(folder + "/", "") if isinstance(v, str) else v for v in row) for row in rows]


def check_opens(replay, logs, rows, folder):
    """Goes from a row to the page of its session, at the event."""
    row = next(row for row in rows("open") if row["path_kind"] == FAULT["write"])
    subprocess.run(row["command"].replace("replay ", f"{replay} ", 1), shell=True, cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)
    expect(os.path.exists(f"{folder}/{row['page'].split('#')[0]}") and "#event=" in row["page"], f"{row['command']}; open {row['page']}")
    output, _ = run(replay, "info", f"{logs}#{row['session_id']}", "--format", "json")
    expect(json.loads(output)["metadata"]["session_id"] == row["session_id"], f"replay info logs#{row['session_id']}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def cluster(folder):
    """A master and two workers of Spark, on loopback, of one core each; they end with the block."""
    import pyspark

    home = os.path.dirname(pyspark.__file__)
    port, page = free_port(), free_port()
    environment = dict(os.environ, SPARK_HOME=home, SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
    started = []

    def start(name, *arguments):
        log = open(f"{folder}/{name}.log", "w")
        started.append(subprocess.Popen(
            [f"{home}/bin/spark-class", *arguments], env=environment, stdout=log, stderr=log))

    try:
        start("master", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port),
              "--webui-port", str(page))
        for number in (1, 2):
            start(f"worker{number}", "org.apache.spark.deploy.worker.Worker", f"spark://127.0.0.1:{port}",
                  "--host", "127.0.0.1", "--cores", "1", "--memory", "2g", "--webui-port", "0",
                  "--work-dir", f"{folder}/work{number}")
        for _ in range(120):
            with contextlib.suppress(OSError):
                with urllib.request.urlopen(f"http://127.0.0.1:{page}/json/") as answer:
                    if sum(worker["state"] == "ALIVE" for worker in json.load(answer)["workers"]) == 2:
                        break
            time.sleep(1)
        else:
            raise SystemExit("Spark's workers did not come up; see " + folder)
        os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
        yield f"spark://127.0.0.1:{port}"
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait()


def check_spark(replay, logs, summaries, folder, by_duckdb, sessions):
    from pyspark.sql import SparkSession

    sys.path.insert(0, f"{engines.FOLDER}/spark")
    import replay_events
    import summarize_job

    with cluster(folder) as master:
        with timed("Spark: a session on a standalone master with two workers"):
            spark = (SparkSession.builder.master(master).appName("fleet")
                     .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
                     .config("spark.executor.memory", "1536m").config("spark.ui.enabled", "false")
                     .config("spark.sql.shuffle.partitions", "8")
                     .config("spark.submit.pyFiles", ",".join(
                         f"{engines.FOLDER}/spark/{name}.py" for name in ("summarize_job", "replay_events")))
                     .getOrCreate())
        spark.sparkContext.setLogLevel("ERROR")
        try:
            output = f"{folder}/by-spark"
            with timed("Spark: summarize_job.py"):
                summarize_job.run(spark, logs, output, replay)
            views = engines.duckdb_views(summaries)
            for table in ("sessions", "paths", "projections", "cascades", "actions", "findings", "failures"):
                # The path of a log is the same, and so is the text of a partition's column; the files and the order
                # of rows are not.
                columns = ", ".join(row[0] for row in views.execute(f"DESCRIBE {table}").fetchall())
                expect(engines.has_same_rows(views, table, output, columns),
                       f"Spark: {table} has the same rows as one process writes")
            sums = "app, device_class, kind, bucket, sum(count), sum(weighted_count)::BIGINT"
            expect(engines.has_same_rows(views, "durations", output, sums, "GROUP BY app, device_class, kind, bucket"),
                   "Spark: durations add up to the same")
            lines, _ = run(replay, "fleet", "top", f"{output}@1.6", "--app", "mail", "--format", "json")
            expect(json.loads(lines)["sessions"] > 0, "replay fleet reads what Spark wrote")
            engines.spark_views(spark, summaries)
            answers = {}
            for name in engines.QUESTIONS:
                with timed(f"Spark: {name}.sql"):
                    answers[name] = engines.by_spark(spark, name)
                expect_agreement("Spark", name, answers[name], by_duckdb[name])
            check_answers(answers, "Spark")
            spark.dataSource.register(replay_events.ReplayEvents)
            chosen = [row[0] for row in spark.sql("SELECT log_uri FROM sessions ORDER BY session_id LIMIT 3").collect()]
            expected = spark.sql("SELECT sum(events) FROM (SELECT events FROM sessions ORDER BY session_id LIMIT 3)")
            with timed("Spark: the events of three logs"):
                events = spark.read.format("replay").option("replay", replay).load(",".join(chosen))
                counted = events.count()
            expect(counted == expected.collect()[0][0], f"the data source has all {counted} events")
        finally:
            spark.stop()


def main(replay, program, folder, sessions, *options):
    replay, folder = os.path.abspath(replay), os.path.abspath(folder)
    logs, summaries = f"{folder}/logs", f"{folder}/summaries"
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    with timed(f"{sessions} sessions made"):
        print("  " + run(program, "--sessions", sessions, "--into", logs)[0].strip())
    figures["logs"] = f"{folder_bytes(logs) / 1e6:.0f} MB"
    print("  " + figures["logs"])
    listed = f"{folder}/logs.txt"
    with open(listed, "w") as file:
        for parent, _, files in os.walk(logs):
            file.writelines(os.path.join(parent, name) + "\n" for name in files)
    with timed("replay summarize"):
        _, memory = run(replay, "summarize", "--files-from", listed, "-o", summaries)
    figures["summarize at most"] = f"{memory:.0f} MiB"
    figures["tables"] = f"{folder_bytes(summaries) / 1e6:.1f} MB"
    check_fleet(replay, summaries)
    views = engines.duckdb_views(summaries)
    counted, events = views.execute("SELECT count(*), sum(events)::BIGINT FROM sessions").fetchone()
    figures["sessions"] = f"{counted:,} of {events:,} events"
    expect(counted == int(sessions), f"{figures['sessions']} are in the tables")
    answers = {}
    with timed("DuckDB: all questions"):
        for name in engines.QUESTIONS:
            answers[name] = engines.by_duckdb(views, name)
    check_worse(replay, summaries, views)
    if "--document" in options:
        document.write({name: without(folder, answer) for name, answer in answers.items()})
    rows = check_answers(answers, "DuckDB")
    check_opens(replay, logs, rows, folder)
    if "--no-clickhouse" not in options:
        check_clickhouse(summaries, views, answers)
    if "--no-spark" not in options:
        check_spark(replay, logs, summaries, folder, answers, int(sessions))
    print_figures()
    if failures:
        raise SystemExit(f"{len(failures)} failed")


main(*sys.argv[1:])
