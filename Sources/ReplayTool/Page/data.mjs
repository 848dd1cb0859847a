// Finds the data of the page: in the page itself, or in the tool that serves it. Both have `bytes(name)`.
import { readColumns } from "./columns.mjs";

/** The chunks that stand in the page, each unpacked when it is first asked for; `packed` is the text of one. */
export function embeddedSource(document) {
  const textOf = (name) => document.getElementById("data-" + name)?.textContent ?? null;
  return {
    packed: textOf,
    async bytes(name) {
      const text = textOf(name);
      return text === null ? null : inflate(decodeBase64(text));
    },
  };
}

/** What a source has, read once and kept. */
export function openData(source) {
  const known = new Map();
  const once = (name, read) => {
    if (!known.has(name)) known.set(name, source.bytes(name).then((bytes) => bytes && read(bytes)));
    return known.get(name);
  };
  const json = (bytes) => JSON.parse(new TextDecoder().decode(bytes));
  return {
    json: (name) => once(name, json),
    columns: (name) => once(name, readColumns),
  };
}

/** The bytes of a base64 text. */
export function decodeBase64(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Bytes as base64. */
export function encodeBase64(bytes) {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Bytes packed as the chunks of a page are. */
export async function deflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
