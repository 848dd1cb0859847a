// A page that holds its data, and asks nobody.
import { embeddedSource, openData } from "./data.mjs";
import { beginOrTell } from "./main.mjs";

beginOrTell(openData(embeddedSource(document)));
