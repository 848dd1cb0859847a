// The states that a page rebuilds, against those that the tool prints. Run by `node --test Tests/Page`, with the tool as REPLAY;
// without it they are skipped.
import assert from "node:assert/strict";
import test from "node:test";
import { changesOf, openStates, openStretch, treeOf, valueAt, writtenBy } from "../../Sources/ReplayTool/Page/states.mjs";
import { pageOf, randoms, replay, seed, tool } from "./pages.mjs";

const samples = ["chat-wide", "catalog-split", "mailbox", "episodes-identity", "scopes", "game-split", "list-trap"];

for (const sample of samples) {
  test(`the state at random events of ${sample} is that of the tool`, { skip: !tool }, async () => {
    const log = `SampleLogs/${sample}.evlog`;
    const page = pageOf(log, "--values", "--budget", "20");
    const report = await page.json("report");
    assert.deepEqual(report.states, report.slices);
    const states = openStates(report.states, page);
    const next = randoms(seed);
    const seqs = [report.first_seq, report.last_seq];
    while (seqs.length < 24) seqs.push(report.first_seq + Math.floor(next.next().value * (report.last_seq + 1 - report.first_seq)));
    // Not in order, since one goes back and forth.
    for (const seq of seqs) {
      const stretch = await states.around(seq);
      const found = treeOf(stretch.at(seq)).tree;
      const printed = JSON.parse(replay("state", log, "--at", String(seq), "--format", "json"));
      assert.deepEqual(found, printed.state, `TEST_SEED=${seed}: event ${seq}`);
    }
  });
}

/** All leaves of two trees that differ, by the text of their steps. */
function differences(before, after) {
  const found = [];
  const walk = (a, b, steps) => {
    if (JSON.stringify(a) === JSON.stringify(b)) return;
    const areTrees = [a, b].every((value) => value !== null && typeof value === "object");
    if (!areTrees || Array.isArray(a) !== Array.isArray(b)) return void found.push(steps);
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) walk(a[key], b[key], [...steps, key]);
  };
  walk(before, after, []);
  return found;
}

test("what an event changed covers all that differs, and each of it differs", { skip: !tool }, async () => {
  for (const sample of ["mailbox", "catalog-split"]) {
    const page = pageOf(`SampleLogs/${sample}.evlog`, "--values", "--budget", "20");
    const report = await page.json("report");
    const states = openStates(report.states, page);
    let changed = 0;
    for (let seq = report.first_seq; seq <= Math.min(report.last_seq, 1500); seq++) {
      const stretch = await states.around(seq);
      const edits = stretch.edits(seq - 1, seq);
      if (edits.length === 0) continue;
      const [before, after] = [treeOf(stretch.at(seq - 1)), treeOf(stretch.at(seq))];
      const changes = changesOf(edits, before, after);
      // Another home of an object renames the references to it, which is no change of the value.
      const isMoved = JSON.stringify([...before.homes].map(([id, { text }]) => [id, text])) !== JSON.stringify([...after.homes].map(([id, { text }]) => [id, text]));
      const all = differences(before.tree, after.tree).map((steps) => steps.join("\u0000"));
      if (!isMoved) {
        const named = new Set([...changes.values()].map(({ before: a, after: b }) => JSON.stringify([a, b])));
        for (const steps of all) {
          const way = steps.split("\u0000");
          const isCovered = way.some((_, index) => named.has(JSON.stringify([valueAt(before.tree, way.slice(0, index + 1)), valueAt(after.tree, way.slice(0, index + 1))])));
          assert.ok(isCovered, `${sample}: event ${seq}, ${way.join("/")}`);
        }
      }
      for (const [path, change] of changes) assert.notDeepEqual(change.before, change.after, `${sample}: event ${seq}, ${path}`);
      changed += changes.size;
    }
    assert.ok(changed > 20, `${sample}: ${changed}`);
  }
});

test("what a write put there and what it replaced", () => {
  const stretch = openStretch({
    first: 1, end: 8, start: { roots: { app: "#1" }, objects: [["#1", "App", { name: "old", rows: [1, 2] }]] },
    edits: [
      [2, "edit", "#1", ["name"], 0, 1, "b"], [3, "splice", "#1", ["rows"], 1, 0, [7]], [4, "new", "#2", "Row", { x: 1 }], [4, "set", "#1", ["row"], { $ref: "#2" }],
      [5, "unset", "#1", ["row"]], [5, "gone", "#2"], [6, "new", "#3", "App", {}], [6, "roots", { app: "#1", other: "#3" }],
      [7, "new", "#4", "Row", { of: { $ref: "#1" }, in: { $ref: "#5" } }], [7, "new", "#5", "List", {}], [7, "splice", "#1", ["rows"], 0, 3, [{ $ref: "#4" }, { $ref: "#5" }]],
    ],
  });
  assert.equal(writtenBy(stretch, 1, false), null);
  assert.deepEqual(writtenBy(stretch, 2, false), { old: "old", new: "bld" });
  assert.deepEqual(writtenBy(stretch, 2, true), { old: "old", new: "bld", insert: "b" });
  assert.deepEqual(writtenBy(stretch, 3, true), { old: [1, 2], new: [1, 7, 2], insert: [7] });
  assert.deepEqual(writtenBy(stretch, 4, false), { old: undefined, new: { $ref: "#2" } });
  assert.deepEqual(writtenBy(stretch, 5, false), { old: { $ref: "#2" }, new: undefined });
  assert.deepEqual(writtenBy(stretch, 6, false), { old: undefined, new: { $ref: "#3" } });
  const row = { $object: "Row#4", of: { $ref: "#1" }, in: { $object: "List#5" } };
  assert.deepEqual(writtenBy(stretch, 7, true).insert, [row, { $ref: "#5" }]);
});
