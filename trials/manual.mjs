// Look at pages of the built manual in a browser.
//
//   node manual.mjs CHROMIUM PICTURES PAGE…
//
// Each page is opened light and dark, 1280 and 390 pixels wide: axe finds nothing, no page
// is wider than its window, no picture is missing, and the keyboard
// reaches code that scrolls. PICTURES is a folder for pictures of the pages, or
// "-". The script prints a line for each failed check, and ends with 1 if there is one. It
// looks for playwright-core and axe-core in the folder that it is started in.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.cwd(), "here.js"));
const { chromium } = require("playwright-core");
const axe = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");
const [browserPath, pictures, ...files] = process.argv.slice(2);

const wrong = [];
let checks = 0;
const check = (where, holds, what) => {
  checks += 1;
  if (!holds) {
    wrong.push(`${where}: ${what}`);
  }
};

const browser = await chromium.launch({
  executablePath: browserPath,
  args: ["--no-sandbox", "--disable-background-networking"],
});

const violations = async (page) => {
  await page.addScriptTag({ content: axe });
  return page.evaluate(async () => {
    const found = (await window.axe.run()).violations;
    return found.map((each) => `${each.id} (${each.nodes.map((node) => node.target).join(" | ")})`);
  });
};

for (const file of files) {
  const name = basename(file, ".html");
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1280, 390]) {
      const where = `${name}, ${colorScheme}, ${width} wide`;
      // axe is no part of the report page, whose policy lets nothing else run.
      const options = { colorScheme, bypassCSP: true, viewport: { width, height: 900 } };
      const context = await browser.newContext(options);
      const page = await context.newPage();
      await page.goto(pathToFileURL(file).href);
      if (pictures !== "-") {
        const png = join(pictures, `${name}-${colorScheme}-${width}.png`);
        await page.screenshot({ path: png, fullPage: true });
      }
      const found = await violations(page);
      check(where, found.length === 0, `axe: ${found.join(", ")}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      check(where, wide <= width, `the page is ${wide} wide`);
      const shown = page.locator("article img:visible");
      for (const image of await shown.all()) {
        check(where, await image.evaluate((each) => each.naturalWidth > 0), "a picture is missing");
      }
      const out = await page.$$eval(".highlight pre", (all) => all.filter((each) =>
        each.scrollWidth > each.clientWidth && each.tabIndex < 0).length);
      check(where, out === 0, `${out} blocks of code are out of reach of the keyboard`);
      await context.close();
    }
  }
}

await browser.close();
for (const each of wrong) {
  console.log(each);
}
console.log(`${checks} checks, ${wrong.length} wrong`);
process.exit(wrong.length ? 1 : 0);
