// The data of a page that contains all of it and makes no requests.
import { embeddedSource, openData } from "./data.mjs";
import { beginOrTell } from "./main.mjs";

beginOrTell(openData(embeddedSource(document)));
