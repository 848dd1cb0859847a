// The parts of the page's script that need no document. Run by `node --test Tests/Page`.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { kept, labelRows, ticksOf, zoomed } from "../../Sources/ReplayTool/Page/axis.mjs";
import { countOf, interpolated, positionOf, sumsOf, timeOf } from "../../Sources/ReplayTool/Page/bins.mjs";
import { readColumns } from "../../Sources/ReplayTool/Page/columns.mjs";
import { decodeBase64 } from "../../Sources/ReplayTool/Page/data.mjs";
import { changeOf, differenceOf, fromTo, isWorth, shareOf } from "../../Sources/ReplayTool/Page/changes.mjs";
import { eventText, hunkAt, sizeOf } from "../../Sources/ReplayTool/Page/hunks.mjs";
import { hitsOf } from "../../Sources/ReplayTool/Page/find.mjs";
import { absenceOfEvent, cascadeHolding } from "../../Sources/ReplayTool/Page/holding.mjs";
import { notesIn, withNote } from "../../Sources/ReplayTool/Page/notes.mjs";
import { alternativesOf, cascadeOf } from "../../Sources/ReplayTool/Page/findings.mjs";
import { idleOf } from "../../Sources/ReplayTool/Page/icicle.mjs";
import { openLanes } from "../../Sources/ReplayTool/Page/lanes.mjs";
import { boundsOf, forEachIn, isCascadeIn, isFindingIn, linesIn, rangeOf, sumsIn } from "../../Sources/ReplayTool/Page/range.mjs";
import { actionLines } from "../../Sources/ReplayTool/Page/actionlist.mjs";
import { heightOf, openPicture, paint } from "../../Sources/ReplayTool/Page/paint.mjs";
import { membersOf, openSlice, openSlices, rootsOf, transactionsOf } from "../../Sources/ReplayTool/Page/rows.mjs";
import { unexplainedIn } from "../../Sources/ReplayTool/Page/account.mjs";
import { placesOf } from "../../Sources/ReplayTool/Page/places.mjs";
import { sortIn, sortedBy } from "../../Sources/ReplayTool/Page/tables.mjs";
import { hashOf, nothing, nothingOfDiff, openSelection, selectionOf } from "../../Sources/ReplayTool/Page/selection.mjs";
import { cursorOf } from "../../Sources/ReplayTool/Page/state.mjs";
import { unitOf } from "../../Sources/ReplayTool/Page/states.mjs";
import { openStretches } from "../../Sources/ReplayTool/Page/stretches.mjs";
import { command, counted, duration, grouped, isCut, moment, percent, quoted, shown } from "../../Sources/ReplayTool/Page/text.mjs";
import { absenceOf, sumOf, unionOf } from "../../Sources/ReplayTool/Page/union.mjs";
import { icicleOf, laidOut, pathOf } from "../../Sources/ReplayTool/Page/trees.mjs";

// Random numbers of all magnitudes that are the same in every run.
function* numbers(count, seed = 1) {
  let state = seed;
  for (let i = 0; i < count; i++) {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    yield Math.floor((state / 2 ** 31) * 2 ** (i % 53));
  }
}

test("amounts are those that the commands print", () => {
  assert.deepEqual([850, 1234, 3_456_789, 10_000_000_000].map(duration), ["850 ns", "1.2 us", "3.4 ms", "10.0 s"]);
  assert.deepEqual([52_307_999, 1_033_000_000, 3_600_000_000_000].map(moment), ["52.307 ms", "1.033 s", "3,600.000 s"]);
  assert.deepEqual([0, 999, 1000, 15050, -1234567].map(grouped), ["0", "999", "1,000", "15,050", "-1,234,567"]);
  assert.deepEqual([counted(1, "event"), counted(2000, "event")], ["1 event", "2,000 events"]);
  assert.deepEqual([percent(1, 8), percent(1, 1), percent(0, 0)], ["12.5 %", "100 %", "-"]);
});

test("what reorders or hides is shown, and what is long is cut", () => {
  assert.equal(shown("a\u202eb\u200bc\n\t\u0000"), "a\\u{202e}b\\u{200b}c\\n\\t\\u{0}");
  assert.equal(shown("\u{e0041}x"), "\\u{e0041}x");
  assert.equal(shown("x".repeat(500)).length, 401);
  assert.equal(shown("😀".repeat(300), 3), "😀…");
  assert.equal(shown("Ä <b>"), "Ä <b>");
});

test("words of commands are quoted for a shell", () => {
  assert.equal(quoted("Row#7"), "'Row#7'");
  assert.equal(quoted("it's"), "'it'\\''s'");
  assert.equal(command("why", "a b.evlog", "List", "--at", 12), "replay why 'a b.evlog' List --at 12");
});

test("what could act on a terminal is in no command, and a shell gets it all the same", () => {
  const words = ["a\u0003b", "\u202eevil'\\\u2066", "\n0", "tab\there", "\u{e0041}x", "Ä\u009b$x`y`", "a\u200bb", "\u007f"];
  for (const word of words) {
    assert.match(quoted(word), /^\$'[^\u0000-\u001f\u007f-\u009f\u200b\u202e\u2066]*'$/u, JSON.stringify(word));
    const output = execFileSync("bash", ["-c", "printf %s " + quoted(word)]);
    assert.equal(output.toString("utf8"), word);
  }
  assert.ok(isCut("x".repeat(400) + "…") && !isCut("x…") && !isCut("x".repeat(500)));
});

// The same bytes as the tool writes, by the rule in its source.
function columnFile(header, columns) {
  const bytes = [];
  for (const { form, values } of columns) {
    if (form === "u8") bytes.push(...values);
    let last = 0n;
    const stored = values.map((value) => {
      if (form !== "d64") return BigInt(value);
      const difference = BigInt(value) - last;
      last = BigInt(value);
      return difference >= 0n ? difference << 1n : (-difference << 1n) | 1n;
    });
    const planes = { u8: 0, u32: 4, u64: 8, d64: 8 }[form];
    for (let plane = 0n; plane < planes; plane++) bytes.push(...stored.map((value) => Number((value >> (8n * plane)) & 255n)));
  }
  const names = columns.map(({ name, form, values }) => ({ name, form, count: values.length }));
  const directory = [...new TextEncoder().encode(JSON.stringify({ header, columns: names }))];
  const size = [0, 8, 16, 24].map((shift) => (directory.length >> shift) & 255);
  return new Uint8Array([...size, ...directory, ...bytes]);
}

test("columns come out as they went in", () => {
  const large = [...numbers(300)].map((value) => Math.min(value, 2 ** 53 - 1));
  const file = columnFile({ a: 1 }, [
    { name: "bytes", form: "u8", values: large.map((value) => value % 256) },
    { name: "small", form: "u32", values: large.map((value) => value % 2 ** 32) },
    { name: "large", form: "u64", values: large },
    { name: "steps", form: "d64", values: large },
    { name: "none", form: "u64", values: [] },
  ]);
  const { header, columns } = readColumns(file);
  assert.deepEqual(header, { a: 1 });
  assert.deepEqual([...columns.bytes], large.map((value) => value % 256));
  assert.deepEqual([...columns.small], large.map((value) => value % 2 ** 32));
  assert.deepEqual([...columns.large], large);
  assert.deepEqual([...columns.steps], large);
  assert.equal(columns.none.length, 0);
});

test("base64 is what Buffer makes of it", () => {
  const bytes = [...numbers(257)].map((value) => value % 256);
  assert.deepEqual([...decodeBase64(Buffer.from(bytes).toString("base64"))], bytes);
});

test("sums of bins for pixels keep what there is, at any zoom", () => {
  const codes = Uint8Array.from({ length: 100 }, (_, index) => (index * 7) % 30);
  const table = Float64Array.from({ length: 256 }, (_, code) => countOf(code));
  const all = codes.reduce((sum, code) => sum + countOf(code), 0);
  for (const pixels of [1, 7, 100, 333, 1000]) {
    const sum = sumsOf(codes, table, 0, 100, pixels).reduce((a, b) => a + b, 0);
    assert.ok(Math.abs(sum - all) < 1e-6 * all, `${pixels} pixels`);
  }
  assert.equal(sumsOf(codes, table, -50, 0, 10).reduce((a, b) => a + b, 0), 0);
  assert.equal(countOf(32), 32);
  assert.ok(Math.abs(countOf(44) - 64) < 1e-9 && timeOf(0) === 0 && timeOf(1) === 1);
});

test("the position of a value is where the value is", () => {
  const times = [0, 10, 10, 30, 100];
  for (const value of [0, 5, 10, 17, 30, 64, 100]) assert.ok(Math.abs(interpolated(times, positionOf(times, value)) - value) < 1e-9, String(value));
  assert.equal(positionOf([], 3), 0);
});

test("a selection comes back from the address, and nonsense is left out", () => {
  const selection = { ...nothing, cascade: 3, node: 2, event: 31105, tab: "paths", axis: "time", by: "runs", from: 10, to: 99 };
  assert.deepEqual(selectionOf("#" + hashOf(selection)), selection);
  assert.equal(hashOf(nothing), "");
  const arranged = { ...nothing, tab: "cascades", dock: "what-if", side: "before", pins: '["paths a.b",["app","x",0]]', hidden: '["paths c"]', opened: '["writes all writes"]', lanes: "a b", paths: "rows[0]",
    sort: "cascades-3-down paths-0-up", rules: "--tracking element", why_not: '["Row#7",""]', wide: 40, tall: 60 };
  assert.deepEqual(selectionOf("#" + hashOf(arranged)), arranged);
  assert.deepEqual(selectionOf("#hidden=[]&opened={}&sort=x&wide=99&tall=0&dock=x&side=x&tab=x&lanes=&why_not=[1]"), nothing);
  const hostile = "#cascade=-1&node=1e9&event=%3Cscript%3E&tab=__proto__&axis=x&by=%00&zoom=9-1";
  assert.deepEqual(selectionOf(hostile), nothing);
});

test("tables are sorted by what the selection says, each by its own", () => {
  const first = { ...nothing, sort: sortedBy(nothing, "cascades", { column: 3, down: true }) };
  const both = { ...nothing, sort: sortedBy(first, "paths", { column: 0, down: false }) };
  assert.deepEqual([sortIn(both, "cascades"), sortIn(both, "paths"), sortIn(both, "projections")], [{ column: 3, down: true }, { column: 0, down: false }, undefined]);
  assert.deepEqual(selectionOf("#" + hashOf(both)), both);
  assert.equal(sortedBy(both, "cascades", { column: 1, down: false }), "paths-0-up cascades-1-up");
});

test("places are those of the steps, of transactions and of findings about them, each once", () => {
  const steps = [{ kind: "evaluation", projection: "Row#7" }, { kind: "write", event: "set", path: "a.b", site: "A.swift:1", transaction: "send", transaction_site: "B.swift:2", because: [{ kind: "origin", text: "action Go", site: "C.swift:3" }] }, { kind: "write", event: "set", path: "a.c", site: "A.swift:1" }];
  const findings = [{ subject: "Row", sites: { view: "D.swift:4" } }, { subject: "Other", path: "a.b", sites: { view: "E.swift:5", write: "F.swift:6" } }];
  assert.deepEqual(placesOf(steps, findings), [{ site: "A.swift:1", words: "set a.b" }, { site: "B.swift:2", words: "transaction send" }, { site: "C.swift:3", words: "action Go" }, { site: "D.swift:4", words: "Row" }, { site: "F.swift:6", words: "a.b" }]);
});

test("what no finding explains is listed unless what is to be changed is about half of it", () => {
  const account = { lines: [{ line: "needed", runs: 9, time_ns: 900 }, { line: "drew-same", runs: 5, time_ns: 100 }, { line: "unknown", runs: 3, time_ns: 300 }] };
  const finding = (wasted, more = {}) => ({ evidence: { wasted_time_ns: wasted }, ...more });
  const lines = (...findings) => unexplainedIn({ account, findings }).map(({ line }) => line);
  assert.deepEqual(lines(), ["unknown", "drew-same"]);
  assert.deepEqual(lines(finding(49)), ["unknown", "drew-same"]);
  assert.deepEqual(lines(finding(50)), []);
  assert.deepEqual(lines(finding(500, { is_note: true })), ["unknown", "drew-same"]);
  assert.deepEqual(lines(finding(0, { baseline: { time_ns: 90 }, predicted: { time_ns: 30 } })), []);
});

test("those who listen to the selection hear what changed", () => {
  const selection = openSelection(nothing);
  const heard = [];
  selection.listen((now, changed) => heard.push([now.cascade, [...changed]]));
  selection.set({ cascade: 1, event: null });
  selection.set({ cascade: 1 });
  assert.deepEqual(heard, [[1, ["cascade"]]]);
});

const line = {
  root: "set a.b", count: 2, tree: [
    { name: "P", kind: "projection", invalidations: 2, evaluations: 2, wasted: 0, time_ns: 30, children: [
      { name: "Q", kind: "projection", invalidations: 0, evaluations: 8, wasted: 8, time_ns: 50, children: [] }] },
    { name: "R", kind: "projection", invalidations: 2, evaluations: 2, wasted: 1, time_ns: 20, children: [] }],
};

test("an icicle gives each node the part of its parent that it took", () => {
  const nodes = icicleOf(line, "time");
  assert.deepEqual(nodes.map(({ node, parent, level }) => [node.name, parent, level]), [["set a.b", -1, 0], ["P", 0, 1], ["Q", 1, 2], ["R", 0, 1]]);
  assert.deepEqual(nodes.map(({ from, width }) => [from, width].map((part) => Math.round(part * 1000))), [[0, 1000], [0, 800], [0, 500], [800, 200]]);
  const idle = { root: "x", tree: [{ name: "A", evaluations: 0, time_ns: 0, children: [] }, { name: "B", evaluations: 0, time_ns: 0, children: [] }] };
  assert.deepEqual(icicleOf(idle, "time").slice(1).map(({ width }) => Math.round(width * 3)), [1, 1]);
});

test("a finding leads to the cascade that it speaks of", () => {
  const cascades = [{ root: "set a.b", tree: [] }, line];
  assert.equal(cascadeOf({ path: "a.b", subject: "Q" }, cascades), 1);
  assert.equal(cascadeOf({ path: "a.b" }, cascades), 0);
  assert.equal(cascadeOf({ path: "z", subject: "R" }, cascades), 1);
  assert.equal(cascadeOf({ path: "z" }, cascades), null);
});

test("a finding leads to the cascade of most waste, and to none where nothing ran", () => {
  const costly = (root, wasted_time_ns, wasted = 1) => ({ root, tree: [], wasted_time_ns, wasted, time_ns: 900 });
  const cascades = [costly("splice a.b", 5), costly("splice a.b", 70), costly('transaction "send"', 600), costly("set c", 9000), costly("splice a.b", 70, 3)];
  const finding = { path: "a.b", evidence: { evaluations: 9 } };
  assert.equal(cascadeOf(finding, cascades), 4);
  // A transaction counts where it wrote there.
  assert.equal(cascadeOf(finding, cascades, [{}, {}, { writes: ["set c", "splice a.b"] }, {}, {}]), 2);
  assert.equal(cascadeOf({ path: "a.b", evidence: { evaluations: 0 } }, cascades), null);
  // So does what a run of it wrote.
  const inner = { kind: "write", name: "set derived.x", children: [] };
  cascades[1].tree = [{ kind: "projection", name: "P", children: [inner] }];
  assert.equal(cascadeOf({ path: "derived.x", evidence: { evaluations: 9 } }, cascades), 1);
});

// Two shapes of cascades, `set a` that runs P and `set a` that runs P and Q, and transactions that write `b` and run Q.
function runOfCascades() {
  const events = [];
  const add = (kind, group = "", cause = 0) => events.push({ seq: events.length + 1, kind, name: group, group, cause }) && events.length;
  const roots = { small: [], large: [], transaction: [] };
  for (let turn = 0; turn < 5; turn++) {
    for (const shape of turn % 2 ? ["large", "small"] : ["small", "transaction", "large"]) {
      if (shape === "transaction") {
        add("begin");
        add("set", "b");
        const end = add("end");
        add("evaluate", "Q", end);
        roots.transaction.push(end);
        continue;
      }
      const root = add("set", "a");
      add("evaluate", "P", root);
      if (shape === "large") add("evaluate", "Q", add("set", "c", root + 1));
      roots[shape].push(root);
    }
  }
  add("mark", "end");
  const node = (name, evaluations) => ({ name, kind: "projection", evaluations, children: [] });
  const line = (root, seqs, tree) => ({ root, count: seqs.length, first_seq: seqs[0], last_seq: seqs.at(-1), tree });
  const { small, large, transaction } = roots;
  const cascades = [
    line("set a", small, [node("P", small.length)]),
    line("set a", large, [{ ...node("P", large.length), children: [{ name: "set c", kind: "write", evaluations: 0, children: [node("Q", large.length)] }] }]),
    line('transaction "save"', transaction, [node("Q", transaction.length)]),
  ];
  const report = { first_seq: 1, last_seq: events.length, cascades: { cascades }, sights: cascades.map((cascade) => ({ worst_seq: cascade.first_seq })) };
  return { events, report, roots };
}

test("each event of a run leads to the cascade that it is in", async () => {
  const { events, report } = runOfCascades();
  const slices = { loaded: async () => {}, at: (seq) => events[seq - 1] ?? null };
  // Who wrote the run knows to which cascade each event belongs.
  let expected = null;
  for (let index = 0; index < events.length; index++) {
    const { kind, group, seq } = events[index];
    if (kind === "mark") expected = null;
    else if (kind === "begin") expected = 2;
    else if (kind === "set" && group === "a") expected = events[index + 2]?.group === "c" ? 1 : 0;
    assert.equal(await cascadeHolding(seq, report, slices), expected, `event ${seq}: ${kind} ${group}`);
  }
  // Where the page has no events, it knows the roots that it was told.
  const none = { loaded: async () => {}, at: () => null };
  assert.equal(await cascadeHolding(report.cascades.cascades[1].last_seq, report, none), 1);
  assert.equal(await cascadeHolding(2, report, none), null);
});

test("who asks for a slice that is being read is told when it is there", async () => {
  let [answer, count] = [null, 0];
  const columns = () => ((count += 1), new Promise((done) => (answer = done)));
  const slices = openSlices([[1, 3]], { columns });
  const waiting = slices.loaded(2);
  const told = new Promise((done) => slices.within(1, 3, done));
  assert.equal(slices.at(2), null);
  answer({ header: { first_seq: 1, names: [""], groups: [], group_of: [] }, columns: { kind: [10, 10], time: [0, 5], duration: [0, 0], subject: [0, 0], flags: [0, 0], cause: [0, 0] } });
  await Promise.all([waiting, told]);
  assert.equal(slices.at(2).time, 5);
  assert.equal(slices.within(1, 3, () => assert.fail("it is there")).length, 1);
  assert.equal(count, 1);
});

test("an event that is not there is said to be lost, left out, or none", () => {
  const report = { first_seq: 1, last_seq: 6, loss: { lost: [{ first: 7, last: 9 }], left_out: [{ first: 10, last: 12 }] } };
  assert.match(absenceOfEvent(8, "8", report), /^Event 8 is lost/);
  assert.match(absenceOfEvent(12, "12", report), /^Event 12 is behind the damage/);
  assert.match(absenceOfEvent(13, "13", report), /^There is no event 13 .*events 1 to 6/);
  assert.match(absenceOfEvent(1e30, "1" + "0".repeat(30), { first_seq: 1, last_seq: 6 }), /^There is no event 10+ /);
});

test("labels of marks do not stand on each other, nor on the next mark", () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const places = [...numbers(60, seed)].map((value) => (value % 1200) - 100).sort((a, b) => a - b);
    const sizes = places.map((_, index) => 20 + ((index * 37 + seed) % 200));
    for (const rows of [1, 2]) {
      const found = labelRows(places, sizes, 0, 1000, rows);
      assert.ok(found.length > 0, `seed ${seed}`);
      const boxes = found.map(({ index, row, room }) => ({ index, row, from: places[index] + 7, to: places[index] + 7 + room }));
      for (const box of boxes) {
        assert.ok(box.row < rows && box.from >= 0 && box.to <= 1000, `seed ${seed}`);
        if (box.row === 0) assert.ok(box.to <= (places[box.index + 1] ?? Infinity) - 5, `seed ${seed}`);
        for (const other of boxes) assert.ok(other === box || other.row !== box.row || other.to <= box.from || box.to <= other.from, `seed ${seed}`);
      }
    }
  }
  // The first of two marks that are near has its label below.
  assert.deepEqual(labelRows([10, 14], [40, 60], 0, 500, 2).map(({ index, row }) => [index, row]), [[0, 1], [1, 0]]);
});

test("the event at which the state is asked for", () => {
  const report = { first_seq: 1, last_seq: 90, sights: [{ worst_seq: 40 }] };
  assert.equal(cursorOf(report, { event: 500, cascade: 0 }), 90);
  assert.equal(cursorOf(report, { event: null, cascade: 0 }), 40);
  assert.equal(cursorOf(report, { event: null, cascade: null }), 90);
});

test("a step further in a tree", () => {
  assert.equal(pathOf("a", 3, true), "a[3]");
  assert.equal(pathOf("a", "odd key", false), 'a["odd key"]');
});

test("positions in a text are counted in bytes, as in the log", () => {
  const encoder = new TextEncoder();
  for (const text of ["", "plain", "für", "漢字", "a😀b", "\u{10ffff}é\u0000"]) {
    for (let unit = 0; unit <= text.length; unit++) {
      // No splice ends within a pair of surrogates.
      if (/[\ud800-\udbff]$/.test(text.slice(0, unit))) continue;
      assert.equal(unitOf(text, encoder.encode(text.slice(0, unit)).length), unit, text);
    }
  }
});

test("zooming keeps what is pointed at where it is, and stays within the run", () => {
  const whole = { from: 0, to: 1000 };
  const closer = zoomed({ from: 0, to: 1000 }, 0.5, 250, whole, 10);
  assert.deepEqual(closer, { from: 125, to: 625 });
  assert.deepEqual(zoomed(closer, 100, 300, whole, 10), whole);
  assert.equal(zoomed({ from: 100, to: 110 }, 0.01, 105, whole, 10).to - zoomed({ from: 100, to: 110 }, 0.01, 105, whole, 10).from, 10);
  assert.deepEqual(kept({ from: -50, to: 50 }, whole), { from: 0, to: 100 });
  assert.deepEqual(kept({ from: 990, to: 1090 }, whole), { from: 900, to: 1000 });
});

test("ticks are round and not too many", () => {
  for (const [from, to] of [[0, 10], [1, 31106], [5e9, 5.1e9]]) {
    const ticks = ticksOf(from, to, 8);
    assert.ok(ticks.length > 0 && ticks.length <= 9 && ticks.every((tick) => tick >= from && tick <= to), String(ticks));
  }
  // Numbers so large that adding 1 gives the same number.
  for (const [from, to] of [[2 ** 60, 2 ** 60 + 10], [2 ** 53, 2 ** 53 + 200], [1.8e19, 1.8e19]]) {
    const ticks = ticksOf(from, to, 8);
    assert.ok(ticks.length <= 9 && ticks.every((tick, index) => index === 0 || tick > ticks[index - 1]), String(ticks));
  }
});

test("painting stays within the picture", () => {
  const picture = openPicture(10, 10);
  paint(picture, -5, -5, 100, 8, 7);
  paint(picture, 8, 8, 50, 50, 9, 5);
  assert.equal(picture.pixels.filter((pixel) => pixel === 7).length, 30);
  assert.equal(picture.pixels.filter((pixel) => pixel === 9 || pixel === 5).length, 4);
  assert.equal(heightOf(0, 10, 18), 0);
  assert.equal(heightOf(10, 10, 18), 18);
  assert.ok(heightOf(1e-9, 10, 18) >= 2);
});

test("an event of a slice has its name, its group and its cause", () => {
  const columns = { kind: [0, 6], time: [5, 9], cause: [0, 1], subject: [0, 1], duration: [0, 3], flags: [4, 2] };
  const header = { first_seq: 7, names: ["a.rows[1]", "Row#1"], groups: ["a.rows[*]", "Row"], group_of: [0, 1] };
  const slice = openSlice({ header, columns });
  assert.deepEqual(slice.event(8), { seq: 8, kind: "evaluate", time: 9, duration: 3, name: "Row#1", group: "Row", cause: 7, changed: false, sameValue: false, value: undefined });
  assert.equal(slice.event(7).sameValue, true);
  assert.equal(slice.event(9), null);
});

test("a part of a slice knows its transactions, and which events are of a cascade", () => {
  const columns = { kind: [8, 0, 8, 9, 9, 6, 6], time: [1, 2, 3, 4, 5, 6, 7], cause: [0, 0, 0, 0, 0, 1, 6], subject: [0, 0, 0, 0, 0, 0, 0], duration: [0, 0, 0, 0, 0, 1, 1], flags: [0, 0, 0, 0, 0, 1, 1] };
  const slice = openSlice({ header: { first_seq: 11, names: ["x"], groups: [], group_of: [-1] }, columns });
  assert.deepEqual(transactionsOf(slice, 0, 7), [{ begin: 0, last: 4, label: "x" }]);
  assert.deepEqual([...membersOf(slice, [0, 7], new Set([15]))], [1, 1, 1, 1, 1, 1, 0]);
  assert.deepEqual([...membersOf(slice, [0, 7], new Set([11]))], [1, 0, 0, 0, 0, 0, 1]);
  assert.deepEqual([...membersOf(slice, [0, 7], rootsOf({ roots: [11, 4] }))], [1, 1, 1, 1, 1, 1, 1]);
  assert.deepEqual([...rootsOf({ worst_seq: 7 })], [7]);
});

test("lanes are found, pinned on top and hidden, with those below them", () => {
  const group = (kind, name, ...inner) => [{ kind, name }, ...inner.map((name) => ({ kind: "instance", name }))];
  const all = [group("writes", "all writes"), [{ kind: "paths", name: "a.row", isOpen: false }], group("projections", "List"), group("projections", "Row", "Row#1", "Row#2"), group("projections", "Other")];
  const choice = openLanes(openSelection(nothing));
  const names = () => choice.arranged(all).map(({ name }) => name);
  assert.deepEqual(names(), ["all writes", "List", "Row", "Row#1", "Row#2", "Other"]);
  choice.pin(all[3][0]);
  choice.hide(all[4][0]);
  assert.deepEqual(names(), ["Row", "Row#1", "Row#2", "all writes", "List"]);
  // A path is found without its lane having been opened; a pinned lane stays, and a hidden one stays away.
  choice.filter(" ROW");
  assert.deepEqual(names(), ["Row", "Row#1", "Row#2", "all writes", "a.row"]);
  choice.filter("other");
  assert.deepEqual(names(), ["Row", "Row#1", "Row#2", "all writes"]);
  assert.equal(choice.reveal(all[4][0]), false);
  assert.deepEqual(names(), ["Row", "Row#1", "Row#2", "all writes", "Other"]);
  assert.equal(choice.reveal(all[2][0]), true);
  choice.pin(all[3][0]);
  assert.deepEqual(names(), ["all writes", "List", "Row", "Row#1", "Row#2", "Other"]);
});

test("a range is summed up event by event, where all of its events are there", () => {
  for (const seed of [1, 2, 3]) {
    const random = [...numbers(600, seed)].map((value) => value % 1000);
    const made = (first, count) => openSlice({ header: { first_seq: first, names: ["a", "Row#1", "List"], groups: ["a", "Row", "List"], group_of: [0, 1, 2] }, columns: {
      kind: random.slice(0, count).map((value) => [0, 6, 5, 1][value % 4]), time: random.slice(0, count), cause: random.slice(0, count).map(() => 0),
      subject: random.slice(0, count).map((value) => [0, 1 + (value % 2), 1, 0][value % 4]), duration: random.slice(0, count), flags: random.slice(0, count).map((value) => [value % 8 < 4 ? 4 : 0, value % 3, 0, 0][value % 4]) } });
    const slices = [made(1, 300), made(301, 200)];
    const page = { within: (first, end) => slices.filter((slice) => slice.first < end && slice.end > first) };
    for (const [first, last] of [[1, 500], [40, 40], [290, 310], [301, 500]]) {
      const sums = sumsIn({ first, last }, page);
      const events = Array.from({ length: last + 1 - first }, (_, index) => slices.map((slice) => slice.event(first + index)).find((event) => event));
      const runs = events.filter(({ kind }) => kind === "evaluate");
      const writes = events.filter(({ kind }) => ["set", "splice", "remove"].includes(kind));
      assert.deepEqual([sums.runs, sums.wasted, sums.time, sums.writes, sums.same],
        [runs.length, runs.filter(({ changed }) => changed === false).length, runs.reduce((sum, { duration }) => sum + duration, 0), writes.length, writes.filter(({ sameValue }) => sameValue).length], `seed ${seed}, ${first} to ${last}`);
      assert.equal([...sums.lines.values()].reduce((sum, line) => sum + line.runs, 0), sums.runs);
    }
    assert.equal(sumsIn({ first: 490, last: 510 }, page), null);
  }
  assert.deepEqual(boundsOf("12-90"), { first: 12, last: 90, isAction: false });
  assert.deepEqual(boundsOf("action-12-90"), { first: 12, last: 90, isAction: true });
  assert.equal(boundsOf(null), null);
  for (const range of ["12-90", "action-12-90"]) assert.equal(rangeOf(boundsOf(range)), range);
});

test("what an action led to is found through its causes, also in the next slice", () => {
  // Action 1 and action 4 take turns; 7 was set by neither.
  const kinds = [11, 0, 5, 11, 0, 6, 0, 5, 6];
  const causes = [0, 1, 2, 0, 4, 3, 0, 5, 8];
  const made = (first, count) => openSlice({ header: { first_seq: first, names: ["tap", "a.x", "Row#1"], groups: ["a.x", "Row"], group_of: [-1, 0, 1] }, columns: {
    kind: kinds.slice(first - 1, first - 1 + count), time: kinds.map((_, index) => index), duration: kinds.map(() => 5), flags: kinds.map(() => 0),
    cause: causes.slice(first - 1, first - 1 + count).map((cause, index) => (cause > 0 ? first + index - cause : 0)),
    subject: kinds.slice(first - 1, first - 1 + count).map((kind) => ({ 11: 0, 0: 1 })[kind] ?? 2) } });
  const slices = [made(1, 5), made(6, 4)];
  const page = { within: () => slices };
  const seqs = (bounds) => {
    const found = [];
    forEachIn(bounds, slices, (slice, index) => found.push(slice.first + index));
    return found;
  };
  assert.deepEqual(seqs({ first: 1, last: 9, isAction: true }), [1, 2, 3, 6]);
  assert.deepEqual(seqs({ first: 4, last: 9, isAction: true }), [4, 5, 8, 9]);
  const sums = sumsIn({ first: 4, last: 9, isAction: true }, page);
  assert.deepEqual([sums.writes, sums.runs, sums.lines.get("Row").woken, sums.paths.get("a.x").woke], [1, 1, 1, 1]);
  const narrowed = { first: 4, last: 9, sums };
  assert.deepEqual(linesIn("projections", narrowed), [{ name: "Row", instances: 1, invalidations: 1, evaluations: 1, wasted: 0, time_ns: 5, wasted_time_ns: 0 }]);
  assert.deepEqual(linesIn("paths", narrowed), [{ path: "a.x", sets: 1, same_value: 0, invalidations: 1, fan_out: 1, fan_out_max: 1 }]);
  assert.deepEqual([{ subject: "Row" }, { subject: "List" }, { path: "a.x" }, { events: [3] }, { events: [9] }].map((finding) => isFindingIn(narrowed, finding)), [true, false, true, false, true]);
});

test("the alternatives of a finding are those that one can make and that save something, the best first", () => {
  const price = (runs, time) => ({ runs, time_ns: time });
  const finding = { baseline: price(100, 1000), predicted: price(10, 100), alternatives: [
    { rule: "a", change: [{}], predicted: price(20, 200) }, { rule: "b", change: [], predicted: price(5, 50) }, { rule: "c", change: [{}], predicted: price(100, 1000) }, { rule: "d", change: [{}], predicted: price(15, 150) } ] };
  assert.deepEqual(alternativesOf(finding).map(({ rule }) => rule), ["d", "a"]);
  assert.deepEqual(alternativesOf({ alternatives: finding.alternatives }), []);
  assert.deepEqual(alternativesOf({}), []);
});

test("a note is kept at its event, and goes when its text does", () => {
  const first = { ...nothing, notes: withNote(nothing, 12, " late  ") };
  const both = { ...first, notes: withNote(first, 5, "early") };
  assert.deepEqual(notesIn(both), [{ seq: 5, text: "early" }, { seq: 12, text: "late" }]);
  assert.deepEqual(notesIn(selectionOf("#" + hashOf(both))), notesIn(both));
  assert.deepEqual(notesIn({ ...both, notes: withNote(both, 12, "later") }).map(({ text }) => text), ["early", "later"]);
  assert.equal(withNote({ ...nothing, notes: withNote(nothing, 12, "a") }, 12, " "), null);
  for (const hostile of ['[[1]]', '[[-1,"a"]]', '[["1","a"]]', '{"a":1}', '[[1,"a",2]]', '[[1.5,"a"]]']) assert.equal(selectionOf("#notes=" + encodeURIComponent(hostile)).notes, null, hostile);
});

test("of a wide tree the largest children are there, and the others together in little room", () => {
  const leaf = (evaluations, children = []) => ({ kind: "projection", name: `N${evaluations}`, invalidations: 1, evaluations, wasted: 1, time_ns: 2 * evaluations, children });
  const children = Array.from({ length: 300 }, (_, index) => leaf(index + 1, index % 3 === 0 ? [leaf(1)] : []));
  const line = { root: "set a", tree: [leaf(5, children)] };
  const nodes = icicleOf(line, "runs");
  const top = nodes.filter(({ level }) => level === 2);
  assert.equal(top.length, 101);
  const others = top.at(-1);
  const hidden = children.slice(0, 200);
  assert.deepEqual([others.position, others.node.name, others.node.evaluations], [null, "200 others", hidden.reduce((sum, { evaluations, children }) => sum + evaluations + children.length, 0)]);
  assert.ok(others.width <= 0.1 && others.width > 0);
  assert.ok(Math.abs(top.reduce((sum, { width }) => sum + width, 0) - 1) < 0.02);
  // Where each is in the whole tree, as the chains of the page are numbered.
  const all = [];
  const walk = (node) => { all.push(node); node.children.forEach(walk); };
  walk({ ...line, children: line.tree });
  for (const { node, position } of nodes.slice(1)) if (position !== null) assert.equal(all[position], node);
  for (const { parent, level } of nodes.slice(1)) assert.equal(nodes[parent].level, level - 1);
});

test("a cascade is in a range if one of its roots is", () => {
  const line = { first_seq: 10, last_seq: 90 };
  assert.equal(isCascadeIn({ first: 20, last: 30 }, line, { roots: [10, 30, 50] }), false);
  assert.equal(isCascadeIn({ first: 20, last: 40 }, line, { roots: [10, 30, 50] }), true);
  // Of too many roots it is not known.
  assert.equal(isCascadeIn({ first: 20, last: 30 }, line, {}), true);
  assert.equal(isCascadeIn({ first: 91, last: 99 }, line, {}), false);
});

test("actions and marks are listed with their lengths and the gaps before them", () => {
  const action = (seq, time, last, end) => ({ label: "tap", seq, time_ns: time, last_seq: last, last_time_ns: end, evaluations: 3, wasted: 1, writes: 2, work_ns: 9 });
  const lines = actionLines({ actions: [action(1, 100, 5, 300), action(3, 200, 4, 250), action(9, 700, 9, 700)], marks: [{ label: "m", seq: 7, time_ns: 400 }, { label: "n", seq: 12, time_ns: 900 }], last_seq: 20 });
  assert.deepEqual(lines.map(({ kind, seq, last, length, gap, outcome }) => [kind, seq, last, length, gap, outcome]), [
    ["action", 1, 5, 200, 0, "not ended"], ["action", 3, 4, 50, 0, "not ended"], ["mark", 7, 11, null, 100, ""], ["action", 9, 9, 0, 300, "not ended"], ["mark", 12, 20, null, 200, ""],
  ]);
});

// Two runs

test("a selection of two runs comes back from the address", () => {
  const selection = { ...nothingOfDiff, node: 4, hunk: 12, tab: "paths", by: "time", least: "20", from: 1, to: 90 };
  assert.deepEqual(selectionOf("#" + hashOf(selection, nothingOfDiff), nothingOfDiff), selection);
  assert.deepEqual(selectionOf("#cascade=1&least=2&hunk=-1&tab=x", nothingOfDiff), nothingOfDiff);
});

test("sums of stretches are those of the steps one by one", () => {
  const sorts = [...numbers(400, 7)].map((value) => Math.floor(value) % 3);
  const columns = { a: [], b: [], both: [], only_a: [], only_b: [] };
  let [a, b] = [0, 0];
  sorts.forEach((sort, index) => {
    const isNew = index === 0 || (sort === 0) !== (sorts[index - 1] === 0);
    if (isNew) for (const [key, value] of Object.entries({ a, b, both: 0, only_a: 0, only_b: 0 })) columns[key].push(value);
    columns[["both", "only_a", "only_b"][sort]][columns.both.length - 1] += 1;
    if (sort !== 2) a += 1;
    if (sort !== 1) b += 1;
  });
  const stretches = openStretches({ header: { steps: sorts.length, exact: true }, columns });
  for (const [from, to, pixels] of [[0, 400, 400], [0, 400, 1], [0, 400, 77], [13, 91, 5], [0, 400, 1600], [390, 410, 10]]) {
    const sums = stretches.sums(from, to, pixels);
    const all = ["both", "onlyA", "onlyB"].map((key) => sums[key].reduce((x, y) => x + y, 0));
    assert.ok(Math.abs(all[0] + all[1] + all[2] - (Math.min(to, 400) - from)) < 1e-6, `${from} to ${to}`);
    // Each stretch here is of one kind, so the number of steps in both runs must be exact.
    const inBoth = sorts.slice(from, to).filter((sort) => sort === 0).length;
    assert.ok(Math.abs(all[0] - inBoth) < 1e-6, `${from} to ${to}: ${all[0]} of ${inBoth}`);
  }
  assert.deepEqual(stretches.eventsAt(0), { a: 1, b: 1 });
  assert.deepEqual(stretches.eventsAt(400), { a: a + 1, b: b + 1 });
});

test("differences are in words and signs, and small ones are none", () => {
  assert.deepEqual([[1, 1], [0, 2], [2, 0], [2, 3], [3, 2]].map(([a, b]) => changeOf(a, b)), ["same", "new", "gone", "more", "less"]);
  assert.deepEqual([[8, 9], [8, 8], [0, 3], [8, 4]].map(([a, b]) => shareOf(a, b)), ["+12.5 %", "", "", "−50 %"]);
  assert.deepEqual([differenceOf(1, 1), differenceOf(1, 2001), differenceOf(9, 2), fromTo(3, 3), fromTo(3, 4)], ["0", "+2,000", "−7", "3", "3 → 4"]);
  assert.ok(isWorth(0, 1, 1, 1, "0") && !isWorth(5, 5, 5, 5, "0"));
  assert.ok(isWorth(0, 1, 100, 50, "1") && !isWorth(0, 1, 101, 50, "1"));
});

test("events of two runs are lines as of the command", () => {
  assert.equal(eventText({ kind: "set", name: "a.b", value: 1, same_value: true }), "set a.b = 1 (same value)");
  assert.equal(eventText({ kind: "splice", name: "a", offset: 2, delete: 1, insert: [1] }), "splice a at 2: 1 out, [1] in");
  assert.equal(eventText({ kind: "reads", name: "P", added: ["x"], dropped: ["y"] }), "P now reads x, and no longer y");
  assert.equal(eventText({ kind: "evaluate", name: "P\u202e", changed: false }), "evaluate P\\u{202e}, same output");
  assert.equal(eventText({ kind: "begin" }), "begin");
});

test("the place at a position is the last that begins before it", () => {
  const hunks = [{ position: 3 }, { position: 9 }, { position: 12 }];
  assert.deepEqual([0, 3, 9, 11, 99].map((position) => hunkAt(hunks, position)), [0, 0, 1, 1, 2]);
  assert.equal(hunkAt([], 1), null);
  assert.equal(sizeOf({ lines: [{ in: "a" }, { in: "both" }, { in: "a" }] }, "a"), 2);
});

test("what a later write superseded is not what did not run", () => {
  assert.equal(idleOf({ invalidations: 2, superseded: 0 }), "woken, not evaluated");
  assert.equal(idleOf({ invalidations: 2, superseded: 2 }), "superseded: ran with another write");
  assert.equal(idleOf({ invalidations: 1200, superseded: 1100 }), "1,100 superseded, 100 not evaluated");
});

test("a tree for which there was no room is not an empty one", () => {
  assert.match(absenceOf(null), /no room/);
  assert.match(absenceOf([]), /Nothing was woken/);
  assert.equal(absenceOf([{ name: "set a" }]), null);
});

test("the tree of both runs is as wide as the larger, and its sums are those of each", () => {
  const side = (evaluations) => ({ count: 1, invalidations: 0, evaluations, wasted: 0, time_ns: 10 * evaluations });
  const root = unionOf([
    { name: "set a", kind: "root", a: side(0), b: side(0), children: [{ name: "P", kind: "projection", a: side(30), b: side(1), children: [] }] },
    { name: "set b", kind: "root", a: side(0), b: side(0), children: [{ name: "Q", kind: "projection", a: side(0), b: side(10), children: [] }] }]);
  assert.deepEqual([sumOf(root, "a", "evaluations"), sumOf(root, "b", "evaluations"), root.a.count], [30, 11, 2]);
  const nodes = laidOut(root, (node) => Math.max(node.a.evaluations, node.b.evaluations));
  assert.deepEqual(nodes.map(({ node, width }) => [node.name, Math.round(width * 40)]), [["all cascades", 40], ["set a", 30], ["P", 30], ["set b", 10], ["Q", 10]]);
});

test("what is looked for is found by any part of its name, and events by their numbers", () => {
  const report = {
    first_seq: 1, last_seq: 2000, marks: [{ seq: 4, label: "begin" }], actions: [{ seq: 9, label: "Begin again" }],
    hot: { projections: [{ name: "Row" }, { name: "Beginner" }], paths: [{ path: "mail.rows[*].beginning" }] },
    cascades: { cascades: [{ root: "set mail.rows[*].beginning" }] }, lint: { findings: [{ message: "Row begins", events: [7] }, { message: "begins, and nowhere" }] },
  };
  assert.deepEqual(hitsOf("", report), []);
  assert.deepEqual(hitsOf(" BEGIN ", report).map(({ kind, name }) => `${kind} ${name}`), [
    "projection Beginner", "path mail.rows[*].beginning", "action Begin again", "mark begin", "cascade set mail.rows[*].beginning", "finding Row begins",
  ]);
  assert.deepEqual(hitsOf("1,061", report)[0], { kind: "event", name: "1,061", change: { event: 1061 } });
  assert.deepEqual(hitsOf("2001", report), []);
  assert.deepEqual(hitsOf("beginner", report)[0].change, { lane: "projections Beginner", subject: "projections Beginner", tab: "subject" });
  assert.deepEqual(hitsOf("x", { ...report, actions: undefined }), []);
});
