// What Citation.js makes of citations: see test_citation_interop.py, which starts this.
//
//   node citation_js.mjs < TEXTS
//
// TEXTS is a JSON list of {"type": one of Citation.js's types, "text": a citation}.
// Prints, as JSON, for each the items that are found in it, as CSL-JSON, and the
// reference that citeproc makes of them in the style of the APA.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.cwd(), "here.js"));
const { Cite } = require("@citation-js/core");
require("@citation-js/plugin-ris");
require("@citation-js/plugin-bibtex");
require("@citation-js/plugin-csl");

const found = JSON.parse(readFileSync(0, "utf8")).map(({ type, text }) => {
  const cite = new Cite(text, { forceType: type, generateGraph: false });
  return {
    items: cite.data,
    reference: cite.format("bibliography", { template: "apa", format: "text" }).trim(),
  };
});
console.log(JSON.stringify(found));
