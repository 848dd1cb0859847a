// The page of several runs. Run by `node --test Tests/Page`.
import assert from "node:assert/strict";
import test from "node:test";
import { nameOfRun, pairOf } from "../../Sources/ReplayTool/Page/runs.mjs";
import { verdictOn } from "../../Sources/ReplayTool/Page/verdict.mjs";

test("two of several runs are compared as two runs are", () => {
  const work = (evaluations, wasted) => ({ evaluations, wasted, time_ns: 100 });
  const report = { runs: [{ total: { time_ns: 200 } }, { total: { time_ns: 200 } }, { total: { time_ns: 200 } }], projections: [
    { name: "Badge", work: [work(1, 0), work(8, 8), work(1, 0)] }, { name: "List", work: [work(40, 40), work(4, 4), work(4, 4)] } ] };
  const names = (first, second) => Object.values(verdictOn(pairOf(report, first, second))).map((items) => items.flatMap((item) => item.names));
  assert.deepEqual(names(0, 1), [["Badge"], ["List"]]);
  assert.deepEqual(names(1, 2), [[], ["Badge"]]);
  assert.deepEqual(names(0, 2), [[], ["List"]]);
});

test("a run is called by its commit, where its app noted one", () => {
  assert.deepEqual([nameOfRun({ commit: "a1b2", log: "x.evlog" }), nameOfRun({ log: "x.evlog" })], ["a1b2", "x.evlog"]);
});
