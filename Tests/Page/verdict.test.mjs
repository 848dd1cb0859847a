// What is said first of two runs. Run by `node --test Tests/Page`.
import assert from "node:assert/strict";
import test from "node:test";
import { verdictOn, wordsOfLine } from "../../Sources/ReplayTool/Page/verdict.mjs";

const line = (name, a, b, wastedA = 0, wastedB = 0, timeA = 100, timeB = 100) => ({ name, a, b, a_wasted: wastedA, b_wasted: wastedB, a_time_ns: timeA, b_time_ns: timeB });
const verdict = (projections, a = 1000, b = 1000) => {
  const found = verdictOn({ a: { time_ns: a }, b: { time_ns: b }, projections });
  const words = (some) => some.map((item) => `${item.names.join(" ")} ${wordsOfLine(item)}`);
  return [words(found.worse), words(found.better)];
};

test("what is worse is named, however much less all together is", () => {
  assert.deepEqual(verdict([line("List", 500, 20, 400, 0), line("CartBadge", 1, 8, 0, 8), line("Row", 3, 3)]),
    [["CartBadge 1 → 8 runs, all wasted"], ["List 500 → 20 runs, 400 → none wasted"]]);
});

test("the most wasted comes first, then the most runs", () => {
  assert.deepEqual(verdict([line("A", 1, 90), line("B", 2, 3, 0, 1), line("C", 5, 5, 0, 3), line("D", 9, 0, 9, 0), line("E", 9, 1)])[0],
    ["C 5 → 5 runs, 3 wasted", "B 2 → 3 runs, 1 wasted", "A 1 → 90 runs"]);
  assert.deepEqual(verdict([line("D", 9, 0, 9, 0), line("E", 90, 1)])[1], ["D 9 → 0 runs, of which all wasted", "E 90 → 1 run"]);
});

test("differences of one shape are one line", () => {
  assert.deepEqual(verdict([line("A", 1, 2, 0, 1), line("B", 1, 2, 0, 1), line("C", 1, 3, 0, 1)])[0], ["C 1 → 3 runs, 1 wasted", "A B 1 → 2 runs, 1 wasted"]);
});

test("slower is said only where all together is, and by more than noise", () => {
  const slow = line("Slow", 4, 4, 0, 0, 1e6, 3e6);
  assert.deepEqual(verdict([slow], 9e6, 11e6), [["Slow 1.0 ms → 3.0 ms in 4 runs"], []]);
  assert.deepEqual(verdict([slow], 9e6, 8e6), [[], []]);
  assert.deepEqual(verdict([slow], 100e6, 102e6), [[], []]);
  assert.deepEqual(verdict([line("Fast", 4, 4, 0, 0, 3e6, 1e6)], 11e6, 9e6), [[], ["Fast 3.0 ms → 1.0 ms in 4 runs"]]);
});
