// Pages that the tool makes, for tests of the page's script. REPLAY is the tool.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { readColumns } from "../../Sources/ReplayTool/Page/columns.mjs";

export const tool = process.env.REPLAY;
export const replay = (...words) => execFileSync(tool, words, { encoding: "utf8", maxBuffer: 1 << 28 });

/** The chunks of a page of a log, in the form in which the page has its data. */
export function pageOf(log, ...options) {
  const folder = mkdtempSync(join(tmpdir(), "pages-"));
  try {
    replay("report", log, "-o", join(folder, "page.html"), ...options);
    const html = readFileSync(join(folder, "page.html"), "utf8");
    const chunks = new Map([...html.matchAll(/id="data-([^"]+)">([^<]*)</g)].map(([, name, packed]) => [name, packed]));
    const bytes = (name) => (chunks.has(name) ? inflateRawSync(Buffer.from(chunks.get(name), "base64")) : null);
    return {
      json: async (name) => JSON.parse(bytes(name)),
      columns: async (name) => bytes(name) && readColumns(bytes(name)),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The seed of random tests: another one each time, but on CI, which tests the change and not random inputs. */
export const seed = Number(process.env.TEST_SEED ?? (process.env.CI ? 1 : Date.now() % 1e9));

/** Numbers as if at random, from a seed. */
export function* randoms(seed) {
  for (let state = seed >>> 0; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}
