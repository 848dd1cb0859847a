// Why runs ran, as a page derives it, against what `replay why` says. Run by `node --test Tests/Page`, with the tool as REPLAY;
// without it, those that need it are skipped.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import test from "node:test";
import { causesOf, openChains } from "../../Sources/ReplayTool/Page/chains.mjs";
import { cascadeHolding } from "../../Sources/ReplayTool/Page/holding.mjs";
import { openSlices, rootsOf } from "../../Sources/ReplayTool/Page/rows.mjs";
import { openStates } from "../../Sources/ReplayTool/Page/states.mjs";
import { pageOf, randoms, replay, seed, tool } from "./pages.mjs";

// What a page has of a step; the command also has reads.
const facts = [
  "kind", "seq", "time_ns", "projection", "duration_ns", "changed", "parent", "event", "path", "same_value", "offset", "delete",
  "transaction", "transaction_site", "writer", "site", "text", "omitted", "omitted_evaluations", "more_superseded",
];
const values = ["old", "new", "insert"];
function assertSame(found, wanted, where, hasValues = false) {
  assert.equal(found?.length, wanted?.length, `${where}: ${JSON.stringify(found)}`);
  for (const [index, step] of (found ?? []).entries()) {
    for (const fact of hasValues ? [...facts, ...values] : facts) assert.deepEqual(step[fact], wanted[index][fact], `${where}: ${fact} of step ${index}`);
    for (const inner of ["because", "superseded"]) assertSame(step[inner], wanted[index][inner], `${where}: ${inner} of step ${index}`, hasValues);
  }
}

const whyOf = (log, { name, seq }) => JSON.parse(replay("why", log, name, "--at", String(seq), "--format", "json")).steps;

async function openPage(log, ...options) {
  const page = pageOf(log, ...options);
  const report = await page.json("report");
  const events = openSlices(report.slices, page);
  await Promise.all(report.slices.map(([first]) => events.loaded(first)));
  return { report, events, chains: openChains(report.chains, page, events, report.has_values ? openStates(report.states, page) : null) };
}

// Some of the runs that a page has one by one, or all if EVERY is set.
function runsOf({ report, events }, count) {
  const runs = report.slices.flatMap(([first, end]) => Array.from({ length: end - first }, (_, index) => events.at(first + index)))
    .filter((event) => event?.kind === "evaluate");
  if (process.env.EVERY) return runs;
  const next = randoms(seed);
  return Array.from({ length: Math.min(count, runs.length) }, () => runs[Math.floor(next.next().value * runs.length)]);
}

const samples = readdirSync("SampleLogs").filter((name) => name.endsWith(".evlog")).map((name) => name.replace(".evlog", ""));
for (const sample of samples) {
  test(`runs of ${sample} ran because of what the tool says`, { skip: !tool }, async () => {
    const log = `SampleLogs/${sample}.evlog`;
    const page = await openPage(log, "--values", "--budget", "20");
    assert.deepEqual(page.report.chains, page.report.slices);
    for (const run of runsOf(page, 8)) {
      const where = `TEST_SEED=${seed}: ${run.name} at event ${run.seq}`;
      const wanted = whyOf(log, run);
      assertSame((await page.chains.of(run.seq))?.steps, wanted, where, true);
      const cascade = await cascadeHolding(run.seq, page.report, page.events);
      const root = wanted.find((step) => step.kind === "invalidation")?.cascade;
      const sight = page.report.sights[cascade];
      if (root !== undefined && sight?.roots) assert.ok(rootsOf(sight).has(root), `${where}: cascade ${cascade} has no root ${root}`);
    }
  });
}

test("a page with little room says what the tool says, or nothing", { skip: !tool }, async () => {
  const log = "SampleLogs/chat-wide.evlog";
  const page = await openPage(log, "--values", "--budget", "0.3");
  let count = 0;
  for (const run of runsOf(page, 8)) {
    const chain = await page.chains.of(run.seq);
    if (chain) assertSame(chain.steps, whyOf(log, run), `TEST_SEED=${seed}: ${run.name} at event ${run.seq}`);
    count += chain ? 1 : 0;
  }
  assert.ok(count > 0 || page.report.chains.length === 0, `TEST_SEED=${seed}`);
});

// A set of `a` wakes P, whose run leads to that of its child Q and to a set of `b`, which an action led to as well.
const rows = [
  { seq: 1, kind: "action", name: "Go", cause: 0 }, { seq: 2, kind: "set", name: "a", cause: 1 },
  { seq: 3, kind: "evaluate", name: "Q", cause: 2, duration: 7, changed: false }, { seq: 4, kind: "evaluate", name: "P", cause: 2, duration: 9, changed: true },
  { seq: 5, kind: "set", name: "b", cause: 4, value: "1" }, { seq: 6, kind: "evaluate", name: "R", cause: 5, duration: 1, changed: null },
];
const eventsOf = (has) => ({ loaded: async () => {}, at: (seq) => (has(seq) ? { time: 10 * seq, sameValue: false, ...rows[seq - 1] } : null) });
const file = {
  header: {
    first_seq: 1,
    steps: [{ kind: "origin", text: "action Go" }, { kind: "write", transaction: [] }, { kind: "invalidation", projection: "P" }, { kind: "evaluation" }, { kind: "followed", parent: "P" }],
    superseded: [{ seq: 4, nodes: [7], more: 2 }],
  },
  // Behind the run of P: 2 -> 3 -> 4; behind that of Q: the run of P, and what is behind it.
  columns: { head: [0, 0, 6, 4, 0, 0], seq: [1, 2, 2, 4, 0, 1], step: [0, 1, 2, 3, 4, 0], next: [1, 2, 3, 4, 5, 1] },
};

test("a chain is read from its nodes, the rows of its events, and the other causes of its run", async () => {
  const chains = openChains([[1, 7]], { columns: async (name) => (name === "chains-1" ? file : null) }, eventsOf(() => true));
  const invalidation = { kind: "invalidation", seq: 2, time_ns: 20, projection: "P" };
  const rest = [
    { kind: "write", seq: 2, time_ns: 20, event: "set", path: "a", same_value: undefined, value: undefined, transaction: null },
    { kind: "origin", seq: 1, time_ns: 10, text: "action Go" },
  ];
  const ofP = { kind: "evaluation", seq: 4, time_ns: 40, projection: "P", duration_ns: 9, changed: true };
  assert.deepEqual(await chains.of(3), {
    projection: "Q",
    steps: [{ kind: "evaluation", seq: 3, time_ns: 30, projection: "Q", duration_ns: 7, changed: false }, { kind: "followed", parent: "P" }, ofP, invalidation, ...rest],
  });
  const { steps } = await chains.of(4);
  assert.deepEqual(steps, [ofP, { ...invalidation, superseded: [{ kind: "origin", seq: 1, time_ns: 10, text: "action Go", because: [] }], more_superseded: 2 }, ...rest]);
  assert.equal(await chains.of(6), null);
  assert.equal(await openChains([], null, eventsOf(() => true)).of(3), null);
  assert.equal(await openChains(undefined, null, eventsOf(() => true)).of(3), null);
});

test("what led to a write is what was recorded, and from the first run on the chain of that", async () => {
  const chain = async (seq) => (seq === 4 ? { steps: ["the chain of P"] } : null);
  const found = await causesOf(5, eventsOf(() => true), chain);
  assert.deepEqual([found.steps[0].path, found.steps[1], found.lack], ["b", "the chain of P", null]);
  // No step is invented where something is missing.
  const unknown = await causesOf(3, eventsOf(() => true), chain);
  assert.deepEqual([unknown.steps.map(({ projection }) => projection), unknown.lack], [["Q"], 3]);
  const absent = await causesOf(2, eventsOf((seq) => seq > 1), chain);
  assert.deepEqual([absent.steps.map(({ path }) => path), absent.lack], [["a"], 1]);
  assert.deepEqual(await causesOf(9, eventsOf(() => false), chain), { steps: [], lack: 9 });
  assert.deepEqual((await causesOf(2, eventsOf(() => true), chain)).steps.map(({ kind, text }) => text ?? kind), ["write", "action Go"]);
});
