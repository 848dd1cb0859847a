// Requests data from the tool that serves the page: results, single events, and answers to questions.
import { readColumns } from "./columns.mjs";
import { openSlice } from "./rows.mjs";
import { openStretch } from "./states.mjs";
import { openMessages, withTile } from "./tiles.mjs";

const sliceRows = 4096;
const slicesMost = 48;
const stretchesMost = 8;
const waits = [250, 500, 1000, 2000, 4000];

/** What the tool refused, and why. */
export class Refused extends Error {
  constructor(status, reason) {
    super(reason);
    this.status = status;
  }
}

// A failed request is no fault of the page: the tool has ended, or it is not ready yet.
const arrived = (promise) => promise.catch((error) => {
  throw error instanceof TypeError ? new Refused(0, "the tool does not answer") : error;
});

/** Requests with the token. */
export function openClient(token) {
  // A request that is repeated is answered once. Requests of other pages are separate.
  const page = crypto.randomUUID();
  const ask = async (path, words = [], signal = undefined) => {
    const query = words.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
    const response = await arrived(fetch(path + (query ? "?" + query : ""), { headers: { "Replay-Token": token, "Replay-Page": page }, cache: "no-store", credentials: "omit", signal }));
    if (response.ok) return response;
    const said = await response.json().catch(() => null);
    throw new Refused(response.status, said?.error ?? `the tool answered ${response.status}`);
  };
  // The tool does not answer a question once a later one has arrived.
  const answer = async (path, words, signal) => {
    const response = await ask(path, words, signal);
    if (response.status === 204) throw new Refused(204, "something else was asked since");
    return response;
  };
  const bytesOf = async (response) => new Uint8Array(await arrived(response.arrayBuffer()));
  return {
    json: async (path, words, signal) => arrived((await answer(path, words, signal)).json()),
    columns: async (path, words) => readColumns(await bytesOf(await answer(path, words))),
    /** A part of the page with the number of its generation; null for a part that is not there yet. */
    async part(path) {
      const response = await ask(path);
      const generation = Number(response.headers.get("Replay-Generation"));
      if (response.status === 204) return { generation, part: null };
      return { generation, part: path === "/report" ? await arrived(response.json()) : readColumns(await bytesOf(response)) };
    },
    /** Follows what the tool says of the run, over again when the stream ends. `lost` is called with why it did. */
    async follow(heard, lost) {
      for (let tries = 0; ; tries++) {
        try {
          const reader = (await ask("/events")).body.getReader();
          const [messages, text] = [openMessages(), new TextDecoder()];
          for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
            tries = 0;
            for (const { data } of messages(text.decode(piece.value, { stream: true }))) heard(JSON.parse(data));
          }
          lost(null);
        } catch (error) {
          lost(error);
          // Retrying would not help, because the token is wrong.
          if (error.status === 401) return;
        }
        await new Promise((done) => setTimeout(done, waits[Math.min(tries, waits.length - 1)]));
      }
    },
  };
}

/**
 * Keeps a page up with what the tool says of the run. `page` has `isPaused`; `begin` and `refresh`, which take what was found
 * as it is now; `change`, which takes an overview that a tile was laid over, and its status; and `restart`, for another run.
 * What it returns is told each status, and called without one where a pause may have ended.
 */
export function openUpdates(client, page) {
  let latest = null;
  let isBusy = false;
  let tries = 0;
  let timer = 0;
  // The data that the page shows at present.
  let have = { run: null, generation: 0, tile: 0, base: null };
  const update = async () => {
    if (isBusy || !latest || page.isPaused()) return;
    isBusy = true;
    clearTimeout(timer);
    let status = null;
    try {
      while (latest && !page.isPaused()) {
        status = latest;
        latest = null;
        await take(status);
        tries = 0;
      }
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      // The run has grown or the tool has ended in the meantime. A closed log has no further status, so retry with this one.
      latest ??= status;
      timer = setTimeout(update, waits[Math.min(tries++, waits.length - 1)]);
    } finally {
      isBusy = false;
    }
  };
  const take = async (status) => {
    if (have.run !== null && status.run !== have.run) return page.restart();
    have.run = status.run;
    if (status.generation === 0) return;
    if (status.generation > have.generation) {
      const [report, overview] = await Promise.all([client.part("/report"), client.part("/overview")]);
      // Another run has begun; its status will follow.
      if (!report.part || !overview.part) return;
      const isShown = await (have.base ? page.refresh : page.begin)(report.part, overview.part);
      if (isShown === false) return;
      // The two were requested separately. If one is older, it is not shown yet.
      have = { ...have, generation: Math.min(report.generation, overview.generation), tile: 0, base: overview.part };
    } else if (status.generation === have.generation && status.tile > have.tile) {
      const { generation, part } = await client.part("/tile");
      if (!part || generation !== have.generation) return;
      have = { ...have, tile: status.tile, base: withTile(have.base, part) };
      await page.change(have.base, status);
    }
  };
  return (status = latest) => {
    latest = status;
    return update();
  };
}

/** The data of a page that is served, as a page has its own: what it begins with, and what can be asked for. */
export function servedData(client, token, first) {
  let chain = null;
  // Only the answer to the last question is used.
  const ask = (path, words, before) => {
    before?.abort();
    const abort = new AbortController();
    return [abort, client.json(path, words, abort.signal)];
  };
  return {
    isServed: true,
    token,
    views: [{ id: "what-if", title: "What if" }, { id: "why-not", title: "Why not" }],
    json: async (name) => (name === "report" ? served(first.report) : null),
    columns: async (name) => (name === "overview" ? first.overview : null),
    slices: (report) => servedSlices(client, report),
    states: (report) => servedStates(client, report),
    // Asks by the run's event only, because the page may have a shortened name of its projection.
    async chain(seq) {
      const [abort, answer] = ask("/why", [["at", seq]], chain);
      chain = abort;
      return answer;
    },
    source: (site) => client.json("/source", [["site", site]]),
    whyNot: (projection, path) => client.json("/why-not", [["projection", projection], ...(path === "" ? [] : [["path", path]])]),
    predict: (rules) => client.json("/what-if", rules.map((rule) => ["argument", rule])),
  };
}

// The states of the run, in ranges of which the last ones are kept; one that the run has outgrown is requested again.
function servedStates(client, report) {
  const kept = new Map();
  const load = async (key) => {
    const file = await client.json("/states", [["from", key * sliceRows], ["to", (key + 1) * sliceRows]]);
    if (!file) throw new Refused(422, "the state is too large for a page; ask the command");
    return openStretch(file);
  };
  return {
    async around(seq) {
      const key = Math.floor(seq / sliceRows);
      const known = await kept.get(key)?.catch(() => null);
      if (known?.end > seq) return known;
      if (seq < report.first_seq || seq > report.last_seq) return null;
      kept.delete(key);
      kept.set(key, load(key));
      while (kept.size > stretchesMost) kept.delete(kept.keys().next().value);
      const found = await kept.get(key);
      return found.end > seq ? found : null;
    },
  };
}

/** A report of which all events are there to be asked for. */
export function served(report) {
  return { ...report, is_served: true, slices: [[report.first_seq, report.last_seq + 1]] };
}

// Slices of the run, requested when they are needed; the last one is requested again as the run grows. The timeline requests
// the slices in view with each drawing, and draws again when one arrives. So after a refusal, or an answer without more
// events, a slice is not requested for a while.
function servedSlices(client, report) {
  const ready = new Map();
  const asked = new Map();
  const resting = new Map();
  const keysOf = (first, end) => {
    const keys = [];
    for (let key = Math.floor(first / sliceRows); key * sliceRows < end; key++) keys.push(key);
    return keys;
  };
  const isWhole = (key) => ready.get(key)?.end >= Math.min((key + 1) * sliceRows, report.last_seq + 1);
  // Whether the slice may have grown.
  const load = (key) => {
    if (!asked.has(key)) {
      const words = [["from", key * sliceRows], ["to", (key + 1) * sliceRows]];
      const before = ready.get(key)?.end ?? 0;
      asked.set(key, client.columns("/rows", words).then((columns) => {
        const slice = openSlice(columns);
        ready.delete(key);
        ready.set(key, slice);
        // Drop the slices that were requested longest ago.
        while (ready.size > slicesMost) ready.delete(ready.keys().next().value);
        return slice.end > before;
      }).catch(() => false).finally(() => asked.delete(key)));
    }
    return asked.get(key);
  };
  const rest = (key, later) => {
    const pause = resting.get(key) ?? { tries: 0, isOn: false };
    if (pause.isOn) return;
    pause.isOn = true;
    resting.set(key, pause);
    setTimeout(() => {
      pause.isOn = false;
      later();
    }, waits[Math.min(pause.tries++, waits.length - 1)]);
  };
  const look = async (key, later) => {
    if (!(await load(key))) return rest(key, later);
    resting.delete(key);
    later();
  };
  return {
    within(first, end, later) {
      const keys = keysOf(Math.max(first, report.first_seq), Math.min(end, report.last_seq + 1));
      for (const key of keys) if (!isWhole(key) && !resting.get(key)?.isOn) look(key, later);
      // A slice that was requested earlier may end before the range that is needed now.
      return keys.flatMap((key) => ready.get(key) ?? []).filter((slice) => slice.first < end && slice.end > first);
    },
    /** All slices one after the other, each asked for when it is its turn. */
    async *each() {
      for (const key of keysOf(report.first_seq, report.last_seq + 1)) {
        if (!isWhole(key)) await load(key);
        const slice = ready.get(key);
        if (!slice) return;
        yield slice;
      }
    },
    at: (seq) => ready.get(Math.floor(seq / sliceRows))?.event(seq) ?? null,
    async loaded(seq) {
      if (!this.at(seq)) await load(Math.floor(seq / sliceRows));
    },
  };
}
