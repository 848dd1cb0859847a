// The parts of a served page that need no document. Run by `node --test Tests/Page`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openSelection, nothing, scopeOf } from "../../Sources/ReplayTool/Page/selection.mjs";
import { openUpdates, Refused, servedData } from "../../Sources/ReplayTool/Page/served.mjs";
import { command } from "../../Sources/ReplayTool/Page/text.mjs";
import { atEnd, openMessages, rulesOf, sameCascade, tokenOf, withTile, wordsOf } from "../../Sources/ReplayTool/Page/tiles.mjs";
import { exampleOf } from "../../Sources/ReplayTool/Page/why.mjs";

// Random numbers that are the same in every run.
function* numbers(seed = 1) {
  let state = seed;
  for (;;) {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    yield state;
  }
}

const kinds = { projections: ["count", "wasted", "time"], paths: ["count", "wasted"], writes: ["count", "wasted"] };

// A complete overview with this many bins, with values computed by a rule.
function overviewOf(bins, valueOf, lanes = 3) {
  const header = { events: {}, time: {} };
  const columns = { times: Array.from({ length: bins }, (_, index) => index * 10) };
  for (const axis of ["events", "time"]) {
    for (const kind of Object.keys(kinds)) {
      header[axis][kind] = { origin: 0, width: 1, bins };
      for (const measure of kinds[kind]) {
        const name = `${axis}.${kind}.${measure}`;
        columns[name] = Uint8Array.from({ length: lanes * bins }, (_, index) => valueOf(name, Math.floor(index / bins), index % bins));
      }
    }
  }
  return { header, columns };
}

// A tile that changes such an overview, which was made with other values from one bin on.
function tileOf(whole, from) {
  const tile = { header: { events: {}, time: {}, times_from: from }, columns: { times: whole.columns.times.slice(from) } };
  for (const axis of ["events", "time"]) {
    for (const kind of Object.keys(kinds)) {
      const { bins } = whole.header[axis][kind];
      tile.header[axis][kind] = { from, end: bins };
      for (const measure of kinds[kind]) {
        const name = `${axis}.${kind}.${measure}`;
        const lanes = whole.columns[name].length / bins;
        tile.columns[name] = Uint8Array.from({ length: lanes * (bins - from) }, (_, index) => whole.columns[name][Math.floor(index / (bins - from)) * bins + from + (index % (bins - from))]);
      }
    }
  }
  return tile;
}

function sameAs(overview, whole) {
  for (const axis of ["events", "time"]) {
    for (const kind of Object.keys(kinds)) {
      const [have, want] = [overview.header[axis][kind].bins, whole.header[axis][kind].bins];
      for (const measure of kinds[kind]) {
        const name = `${axis}.${kind}.${measure}`;
        const lanes = whole.columns[name].length / want;
        for (let lane = 0; lane < lanes; lane++) {
          const row = overview.columns[name].subarray(lane * have, (lane + 1) * have);
          assert.deepEqual([...row.subarray(0, want)], [...whole.columns[name].subarray(lane * want, (lane + 1) * want)], name);
          assert.ok(row.subarray(want).every((value) => value === 0), "nothing behind the end");
        }
      }
    }
  }
  assert.deepEqual([...overview.columns.times], [...whole.columns.times]);
}

test("an overview with tiles is the overview of the longer run", () => {
  const random = numbers(7);
  for (let round = 0; round < 40; round++) {
    const salt = random.next().value;
    const valueOf = (name, lane, bin) => (salt + name.length * 31 + lane * 7 + bin * 13) % 256;
    let bins = random.next().value % 40;
    let overview = overviewOf(bins, valueOf);
    const before = bins;
    for (let step = 0; step < 5; step++) {
      bins += random.next().value % 300;
      if (bins === 0) continue;
      const whole = overviewOf(bins, valueOf);
      // Tiles change the first overview, and each contains the changes of the tiles before it.
      overview = withTile(overview, tileOf(whole, Math.max(0, before - 1)), random.next().value % 8);
      sameAs(overview, whole);
    }
  }
});

test("messages come out whole, however the stream is cut", () => {
  const text = 'id: 5\ndata: {"seq":5}\n\n:\n\nid: 9\ndata: {"seq":9}\n\nid: 10\ndata: {"se';
  for (let size = 1; size < text.length; size++) {
    const messages = openMessages();
    const found = [];
    for (let start = 0; start < text.length; start += size) found.push(...messages(text.slice(start, start + size)));
    assert.deepEqual(found, [{ id: "5", data: '{"seq":5}' }, { id: "9", data: '{"seq":9}' }]);
  }
});

test("words of a command are those that were quoted for it", () => {
  const words = ["what-if", "a b.evlog", "--isolate", "it's:x[id: 42].y", "--tracking", "element", "back\\slash", '"'];
  assert.deepEqual(wordsOf(command(...words)), ["replay", ...words]);
  assert.deepEqual(rulesOf(command(...words)), words.slice(2));
  assert.deepEqual(wordsOf('  --input "Row x"  '), ["--input", "Row x"]);
  assert.equal(wordsOf("--isolate 'Row"), null);
  // The cases of ShellWordTests.
  const hostile = ["", "a\u0003b", "\u202eevil'\\\u2066", "\n0", "tab\there", "\u{e0041}x", "Ä\u009b$x`y`", "a\u200bb", "\u007f\u00011", "\ufeffx", "\u200b😀'"];
  for (const word of hostile) assert.deepEqual(wordsOf(command("why", word, "end")), ["replay", "why", word, "end"]);
  assert.deepEqual(wordsOf(command(...hostile)), ["replay", ...hostile]);
  for (const text of ["$'", "$'a", "$'a\\'", "$'\\", "$'\\x4"]) assert.equal(wordsOf(text), null, text);
  assert.deepEqual(wordsOf("$x a$'b'c $"), ["$x", "abc", "$"]);
  assert.deepEqual(rulesOf("replay why x"), []);
  assert.deepEqual(rulesOf(""), []);
});

const line = (root, names, count = 1) => ({ root, count, tree: names.map((name) => ({ kind: "projection", name, evaluations: 2 * count, invalidations: count, children: [] })) });

test("a cascade is found again where it went, by its tree", () => {
  const before = line("set a", ["Row", "List"]);
  const after = [line("set b", ["Row", "List"]), line("set a", ["Row"]), line("set a", ["Row", "List"], 7)];
  assert.equal(sameCascade(before, after), 2);
  assert.equal(sameCascade(line("set c", []), after), null);
  assert.equal(sameCascade(undefined, after), null);
});

test("the end of a run is kept to with what is shown as long as it was", () => {
  assert.deepEqual(atEnd({ from: 10, to: 30 }, { from: 0, to: 1000 }), { from: 980, to: 1000 });
  assert.deepEqual(atEnd({ from: 10, to: 3000 }, { from: 0, to: 1000 }), { from: 0, to: 1000 });
});

test("the token is in the address beside what is selected", () => {
  assert.equal(tokenOf("#token=abc-_9&cascade=3"), "abc-_9");
  assert.equal(tokenOf("#cascade=3"), null);
});

test("the run that stands for a node is that of the node, or the last of all", () => {
  const sight = { examples: [0, 31, 0, 45, 0] };
  assert.deepEqual([null, 0, 1, 2, 3, 9].map((node) => exampleOf(sight, node)), [45, 45, 31, null, 45, null]);
  assert.equal(exampleOf(undefined, null), null);
});

test("what goes hears of the selection no more, and a move is heard by nobody", () => {
  const selection = openSelection(nothing);
  const heard = [];
  selection.listen((now) => heard.push(["stays", now.cascade]));
  const scope = scopeOf(selection);
  scope.listen((now) => heard.push(["goes", now.cascade]));
  scope.set({ cascade: 1 });
  scope.end();
  selection.move({ cascade: 5 });
  assert.equal(scope.now.cascade, 5);
  selection.set({ cascade: 2 });
  assert.deepEqual(heard, [["stays", 1], ["goes", 1], ["stays", 2]]);
});

// A tool that has made this many versions, and a page that notes the versions that it receives.
function openPair() {
  const tool = { generation: 1, isAway: false, between: null, asked: [], gone: [] };
  const client = {
    async part(path) {
      tool.asked.push(path);
      if (tool.isAway) throw new Refused(0, "away");
      if (tool.gone.includes(path)) return { generation: tool.generation, part: null };
      const found = { generation: tool.generation, part: path === "/tile" ? tileOf(overviewOf(2, () => tool.generation), 0) : path === "/report" ? tool.generation : overviewOf(2, () => tool.generation) };
      if (path === "/report") tool.between?.();
      return found;
    },
  };
  const page = { shown: [], isHeld: false, isPaused: () => page.isHeld };
  for (const name of ["begin", "refresh"]) page[name] = (report, overview) => void page.shown.push(`${name} ${report} ${overview.columns["events.paths.count"][0]}`);
  page.change = (_, status) => void page.shown.push(`tile ${status.tile}`);
  page.restart = () => void page.shown.push("restart");
  return { tool, page, updates: openUpdates(client, page) };
}

test("a report that is older than its overview is asked for again", async () => {
  const { tool, page, updates } = openPair();
  // The tool makes the last versions of a log, which is then closed, between two answers.
  tool.between = () => {
    tool.between = null;
    tool.generation = 2;
  };
  await updates({ run: "a", generation: 1, tile: 0 });
  await updates({ run: "a", generation: 2, tile: 0 });
  assert.deepEqual(page.shown, ["begin 1 2", "refresh 2 2"]);
  // The version that is shown already is not requested again.
  tool.asked = [];
  await updates({ run: "a", generation: 2, tile: 0 });
  await updates({ run: "a", generation: 2, tile: 1 });
  assert.deepEqual([tool.asked, page.shown.at(-1)], [["/tile"], "tile 1"]);
  await updates({ run: "b", generation: 1, tile: 0 });
  assert.equal(page.shown.at(-1), "restart");
});

test("what was refused is asked for again though nothing more is said", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const settled = () => new Promise((done) => setImmediate(done));
  const { tool, page, updates } = openPair();
  for (const [generation, shown] of [[1, "begin 1 1"], [2, "refresh 2 2"]]) {
    Object.assign(tool, { generation, isAway: true });
    await updates({ run: "a", generation, tile: 0 });
    for (let count = 0; count < 3; count++) {
      tool.asked = [];
      context.mock.timers.tick(10_000);
      await settled();
      assert.equal(tool.asked.length, 2);
    }
    tool.isAway = false;
    context.mock.timers.tick(10_000);
    await settled();
    assert.equal(page.shown.at(-1), shown);
    tool.asked = [];
    context.mock.timers.tick(100_000);
    assert.deepEqual(tool.asked, []);
  }
});

test("a part that is gone when it is asked for is waited for, and what is shown stays", async () => {
  const { tool, page, updates } = openPair();
  // The page follows another log by now, of which nothing is known.
  tool.gone = ["/report", "/overview"];
  await updates({ run: "a", generation: 1, tile: 0 });
  assert.deepEqual(page.shown, []);
  tool.gone = ["/tile"];
  await updates({ run: "a", generation: 1, tile: 0 });
  await updates({ run: "a", generation: 1, tile: 1 });
  assert.deepEqual(page.shown, ["begin 1 1"]);
  tool.gone = [];
  await updates({ run: "a", generation: 1, tile: 2 });
  assert.deepEqual(page.shown, ["begin 1 1", "tile 2"]);
});

test("a pause is kept, and what came meanwhile is shown behind it", async () => {
  const { page, updates } = openPair();
  page.isHeld = true;
  await updates({ run: "a", generation: 1, tile: 0 });
  assert.deepEqual(page.shown, []);
  page.isHeld = false;
  await updates();
  assert.deepEqual(page.shown, ["begin 1 1"]);
});

test("events that are refused are asked for now and then, and drawn when they come", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const settled = () => new Promise((done) => setImmediate(done));
  const tool = { last: 5000, isAway: false, asked: 0 };
  const client = {
    async columns(_, [[, from], [, to]]) {
      tool.asked += 1;
      if (tool.isAway) throw new Refused(0, "away");
      const first = Math.max(from, 1);
      return { header: { first_seq: first }, columns: { kind: new Uint8Array(Math.max(0, Math.min(to, tool.last + 1) - first)) } };
    },
  };
  const report = { first_seq: 1, last_seq: 5000 };
  const slices = servedData(client, "", {}).slices(report);
  // Like a timeline: drawing requests missing parts, and is repeated when they arrive.
  const drawn = { ends: [], count: 0 };
  const draw = () => {
    drawn.count += 1;
    drawn.ends = slices.within(4000, report.last_seq + 1, draw).map((slice) => slice.end);
  };
  draw();
  await settled();
  assert.deepEqual([drawn.ends, tool.asked], [[4096, 5001], 2]);
  // The tool ends, and the page knows of more events than it has received.
  Object.assign(tool, { isAway: true, asked: 0, last: 6000 });
  drawn.count = 0;
  report.last_seq = 6000;
  for (let turn = 0; turn < 200; turn++) {
    draw();
    await settled();
  }
  assert.deepEqual([drawn.ends, tool.asked, drawn.count], [[4096, 5001], 1, 200]);
  for (let second = 0; second < 60; second++) {
    context.mock.timers.tick(1000);
    await settled();
  }
  assert.ok(tool.asked > 10 && tool.asked < 30, `${tool.asked}`);
  // It comes back by itself.
  tool.isAway = false;
  context.mock.timers.tick(10_000);
  await settled();
  assert.deepEqual(drawn.ends, [4096, 6001]);
  // Parts that never arrive, for example because the log was cut, are not requested again and again.
  report.last_seq = 7000;
  tool.asked = 0;
  for (let turn = 0; turn < 200; turn++) {
    draw();
    await settled();
  }
  assert.equal(tool.asked, 1);
});
