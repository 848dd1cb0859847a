// What is found among events, and the histories of views and paths. Run by `node --test Tests/Page`.
import assert from "node:assert/strict";
import test from "node:test";
import { stepsOf } from "../../Sources/ReplayTool/Page/curve.mjs";
import { conditionOf, reachOf, runsOfView, valueOfRow, wordsOfCause, writesOfPath } from "../../Sources/ReplayTool/Page/histories.mjs";
import { kinds } from "../../Sources/ReplayTool/Page/kinds.mjs";
import { openSlice } from "../../Sources/ReplayTool/Page/rows.mjs";
import { eventAt, eventsWith, timeIn } from "../../Sources/ReplayTool/Page/search.mjs";
import { pointsOf } from "../../Sources/ReplayTool/Page/curve.mjs";
import { nearOf, readsOf } from "../../Sources/ReplayTool/Page/reads.mjs";
import { randoms, seed } from "./pages.mjs";

// A slice of events `{ kind, name, group, time, cause, value, wasted, duration }`.
function sliceOf(first, events) {
  const names = [...new Set(events.flatMap(({ name, value }) => [name, value]).filter((name) => name !== undefined))];
  // Values come after the subjects.
  const subjects = names.filter((name) => events.some((event) => event.name === name));
  const all = [...subjects, ...names.filter((name) => !subjects.includes(name))];
  const groups = [...new Set(events.map(({ group }) => group).filter(Boolean))];
  const groupOf = subjects.map((name) => groups.indexOf(events.find((event) => event.name === name).group));
  const column = (of) => events.map(of);
  return openSlice({ header: { first_seq: first, names: all, groups, group_of: groupOf }, columns: {
    kind: column(({ kind }) => kinds.indexOf(kind)), time: column(({ time }) => time), duration: column(({ duration }) => duration ?? 0), subject: column(({ name }) => (name === undefined ? all.length : all.indexOf(name))),
    cause: column(({ cause }, index) => (cause ? first + index - cause : 0)), flags: column(({ wasted }) => (wasted ? 2 : 0)), value: column(({ value }) => (value === undefined ? all.length : all.indexOf(value))),
  } });
}
const slices = [
  sliceOf(1, [
    { kind: "action", name: "Go", time: 0 }, { kind: "set", name: "rows[0].title", group: "rows[*].title", time: 10, cause: 1, value: '"Rain"' },
    { kind: "evaluate", name: "Row#1", group: "Row", time: 20, cause: 2, duration: 5, wasted: true }, { kind: "evaluate", name: "Row#2", group: "Row", time: 30, cause: 3, duration: 7 },
  ]),
  sliceOf(5, [
    { kind: "begin", name: "send", time: 40 }, { kind: "set", name: "rows[1].title", group: "rows[*].title", time: 40, value: '"Snow"' }, { kind: "end", name: "send", time: 50 },
    { kind: "evaluate", name: "Row#1", group: "Row", time: 60, cause: 7, duration: 1 }, { kind: "mark", name: "row ready", time: 70 }, { kind: "evaluate", name: "Row#1", group: "Row", time: 80, duration: 1 },
  ]),
];
const reach = { first: 1, last: 10 };

test("times are read as one says them, alone or behind a name", () => {
  assert.deepEqual(timeIn("3.2 s"), { time: 3_200_000_000, words: "" });
  assert.deepEqual(timeIn(" row#7 at 250ms "), { time: 250_000_000, words: "row#7" });
  assert.deepEqual(timeIn("row 1,5 us"), { time: 1500, words: "row" });
  for (const words of ["row", "3.2", "3.2 sheep", "items", "a1s", ""]) assert.equal(timeIn(words), null, words);
});

test("the event at a time is the last that was not later", () => {
  assert.deepEqual([0, 9, 10, 45, 50, 1000].map((time) => eventAt(time, slices)), [1, 1, 2, 6, 7, 10]);
  assert.equal(eventAt(5, []), null);
});

test("instances, values and labels are found with the first event that has them", () => {
  const found = (words, time) => eventsWith(words, slices, time).hits.map(({ kind, name, event }) => `${kind} ${name} ${event}`);
  assert.deepEqual(found("row#"), ["instance Row#1 3", "instance Row#2 4"]);
  assert.deepEqual(found("rain"), ['value rows[0].title = "Rain" 2']);
  assert.deepEqual(found("send"), ["transaction send 5"]);
  assert.deepEqual(found("ready"), ["mark row ready 9"]);
  assert.deepEqual(found("row#1", 65), ["instance Row#1 8"]);
  assert.deepEqual(found("nothing is so"), []);
});

test("the runs of a view are summed up by instance and by what made it run", () => {
  const { seqs, sums, instances, causes, count } = runsOfView("Row", slices, reach);
  assert.deepEqual([seqs, sums, count], [[3, 4, 8, 10], { runs: 4, wasted: 1, time: 14 }, 10]);
  assert.deepEqual([...instances.values()], [{ name: "Row#1", runs: 3, wasted: 1, time: 7 }, { name: "Row#2", runs: 1, wasted: 0, time: 7 }]);
  assert.deepEqual([...causes.values()].map((cause) => [wordsOfCause(cause), cause.runs]), [
    ["set rows[*].title", 1], ["the run of Row", 1], ["transaction send", 1], ["its first run, or no cause that is recorded", 1],
  ]);
  assert.deepEqual(runsOfView("Row#2", slices, reach).seqs, [4]);
  assert.deepEqual(runsOfView("Row", slices, { first: 4, last: 8 }).seqs, [4, 8]);
  assert.equal(wordsOfCause([...runsOfView("Row", slices.slice(1), reach).causes.values()][0]), "transaction send");
});

test("the writes of a path are those of its group or of one value, with who ran for each", () => {
  const all = writesOfPath("rows[*].title", slices, reach);
  assert.deepEqual([all.seqs, [...all.effects]], [[2, 6], [[2, { runs: 1, wasted: 1 }], [6, { runs: 0, wasted: 0 }]]]);
  assert.deepEqual(writesOfPath("rows[1].title", slices, reach).seqs, [6]);
});

test("of a long run that is served only events around the selected one are gone through", () => {
  assert.deepEqual(reachOf({ first_seq: 1, last_seq: 5e6 }, 9), { first: 1, last: 5e6, isPart: false });
  for (const event of [null, 1, 77, 2e6, 5e6]) {
    const { first, last, isPart } = reachOf({ first_seq: 1, last_seq: 5e6, is_served: true }, event);
    assert.ok(isPart && first >= 1 && last <= 5e6 && last - first === 1 << 17 && (event === null || (event >= first && event <= last)), String(event));
  }
});

test("conditions hold as they are read", () => {
  const holds = (words, ...values) => values.map((value) => conditionOf(words)(value));
  assert.deepEqual(holds("< 0", -1, 0, null, "x", undefined), [true, false, false, false, false]);
  assert.deepEqual(holds(">= 2.5", 2.5, 2), [true, false]);
  assert.deepEqual(holds("= 3", 3, "3"), [true, false]);
  assert.deepEqual(holds("= rain", "rain", "Rain"), [true, false]);
  assert.deepEqual(holds("!= true", true, false), [false, true]);
  assert.deepEqual(holds("nil", undefined, null, 0, ""), [true, true, false, false]);
  assert.deepEqual(holds("not nil", undefined, 0), [false, true]);
  assert.deepEqual(holds("rai", "Rain", ["rain"], 3, undefined), [true, true, false, false]);
  assert.equal(conditionOf("  "), null);
  assert.deepEqual(valueOfRow({ kind: "remove" }), { isKnown: true, value: undefined });
  assert.deepEqual(valueOfRow({ kind: "set", value: "3" }), { isKnown: true, value: 3 });
  for (const row of [{ kind: "set" }, { kind: "set", value: '"cut…' }, { kind: "splice", value: "[1]" }]) assert.equal(valueOfRow(row).isKnown, false);
});

test("a curve keeps the least and the largest of each column", () => {
  const next = randoms(seed);
  const points = Array.from({ length: 20_000 }, (_, seq) => ({ seq, time: 3 * seq, value: next.next().value * 100 - 50 }));
  const { least, most, steps } = stepsOf(points, 100, 60);
  assert.equal(least, Math.min(...points.map(({ value }) => value)));
  assert.ok(steps.length <= 404, `TEST_SEED=${seed}`);
  const yOf = (value) => (1 - (value - least) / (most - least)) * 56 + 2;
  for (let column = 0; column < 100; column++) {
    const own = points.filter(({ time }) => Math.floor((time / points.at(-1).time) * 100) === column).map(({ value }) => yOf(value));
    const drawn = steps.filter(([x]) => Math.floor(x) === column).map(([, y]) => y);
    for (const edge of [Math.min, Math.max]) assert.ok(Math.abs(edge(...drawn) - edge(...own)) < 1e-9, `TEST_SEED=${seed}, column ${column}`);
  }
  assert.deepEqual(stepsOf([{ seq: 1, time: 5, value: 2 }, { seq: 2, time: 5, value: 2 }], 100, 60).steps, [[0, 30], [0, 30]]);
});

test("what a view reads is listed with its writes, and what is written near that with the nearest first", () => {
  const report = { reads: [{ projection: "Row", paths: ["store.rows[*].title", "store.filter"], hidden: 2 }], hot: { paths: [
    { path: "store.rows[*].title", sets: 9, same_value: 2 }, { path: "store.rows[*].seen", sets: 1, same_value: 0 }, { path: "store.busy", sets: 40, same_value: 0 },
    { path: "store.rows[*].author.name", sets: 5, same_value: 0 }, { path: "clock.now", sets: 99, same_value: 0 }, { path: "store.rows", sets: 3, same_value: 0 } ] } };
  const causes = new Map([["a", { kind: "set", name: "store.rows[*].title", runs: 7 }], ["b", { kind: "run", name: "store.filter", runs: 5 }]]);
  const { lines, hidden } = readsOf("Row", report, causes);
  assert.deepEqual([lines, hidden], [[{ path: "store.rows[*].title", sets: 9, same: 2, runs: 7 }, { path: "store.filter", sets: 0, same: 0, runs: 0 }], 2]);
  // What holds something that it reads is read with it; the clock has nothing to do with it.
  assert.deepEqual(nearOf(lines.map(({ path }) => path), report.hot.paths).map(({ path }) => path), ["store.busy", "store.rows[*].seen", "store.rows[*].author.name"]);
  assert.deepEqual(readsOf("None", report, causes), { lines: [], hidden: 0 });
});

test("the numbers of a path are the points of its curve", () => {
  const row = (seq, value, kind = "set") => ({ seq, time: seq * 10, kind, value });
  assert.deepEqual(pointsOf([row(1, "3"), row(2, '"a"'), row(3, undefined), row(4, "-0.5"), row(5, undefined, "remove"), row(6, "null")]), [{ seq: 1, time: 10, value: 3 }, { seq: 4, time: 40, value: -0.5 }]);
});
