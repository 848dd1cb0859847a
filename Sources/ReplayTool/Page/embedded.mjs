// The data of a page that contains all of it and makes no requests.
import { deflated, embeddedSource, encodeBase64, openData } from "./data.mjs";
import { beginOrTell } from "./main.mjs";
import { offer, openCopy } from "./notes.mjs";

const source = embeddedSource(document);
const copied = openCopy(document);
beginOrTell({
  ...openData(source),
  async save(notes) {
    const packed = encodeBase64(await deflated(new TextEncoder().encode(notes)));
    offer(copied(source.packed, [["notes", packed]]), decodeURIComponent(location.pathname.split("/").at(-1)) || "run.html", "text/html");
  },
});
