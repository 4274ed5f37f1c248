// Check the page that `handlecheck` writes in a browser.
//
//   node report_page.mjs CHROMIUM PAGE
//
// PAGE is a report with hostile text in it. The script prints a line for each failed
// check, and ends with 1 if there is one. It looks for playwright-core and axe-core in
// the folder that it is started in.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.cwd(), "here.js"));
const { chromium } = require("playwright-core");
const axe = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");
const [browserPath, file] = process.argv.slice(2);
const address = pathToFileURL(file).href;

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

// Open the page, see that it asks for nothing and complains of nothing, and look.
const look = async (where, options, action) => {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const said = [];
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => said.push(String(error)));
  page.on("dialog", (dialog) => {
    said.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    if (request.url() !== address) {
      said.push(`request: ${request.url()}`);
    }
  });
  await page.goto(address);
  await action(page, where);
  check(where, said.length === 0, said.join("; "));
  await context.close();
};

const rows = async (page) => page.locator("tbody tr:visible").count();
const column = async (page, number) =>
  page.locator(`tbody tr:visible > :nth-child(${number})`).allInnerTexts();

let all = 0;
await look("without scripts", { javaScriptEnabled: false }, async (page, where) => {
  all = await page.locator("tbody tr").count();
  check(where, all > 5 && (await rows(page)) === all, "not every row is there");
  check(where, (await page.locator("form").count()) === 0, "a form that does nothing");
});

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1280, 390]) {
    // axe is no part of the page, whose policy lets nothing else run.
    const options = { colorScheme, bypassCSP: true, viewport: { width, height: 900 } };
    await look(`${colorScheme}, ${width} wide`, options, async (page, where) => {
      await page.addScriptTag({ content: axe });
      const found = await page.evaluate(
        async () => (await window.axe.run()).violations.map((each) => each.id),
      );
      check(where, found.length === 0, `axe: ${found.join(", ")}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      check(where, wide <= width, `the page is ${wide} wide`);
    });
  }
}

await look("in use", {}, async (page, where) => {
  const count = page.locator("output");
  check(where, (await count.innerText()) === `${all} of ${all}`, "a wrong count");

  const legend = page.locator(".legend button");
  for (let number = 0; number < (await legend.count()); number += 1) {
    const entry = legend.nth(number);
    const kind = await entry.locator(".outcome").innerText();
    await entry.click();
    const shown = await column(page, 2);
    check(
      where,
      shown.length > 0 && shown.every((each) => each.startsWith(kind)),
      `rows of another outcome than ${kind}`,
    );
    check(where, (await count.innerText()) === `${shown.length} of ${all}`, "a wrong count");
    check(where, (await entry.getAttribute("aria-pressed")) === "true", "not told as pressed");
    await entry.click();
  }
  await page.getByLabel("Filter").fill("in no row at all");
  check(where, (await count.innerText()) === `No match among ${all}`, "zero matches not told");
  await page.getByRole("button", { name: "Clear the filter" }).click();
  check(where, (await rows(page)) === all, "the filter was not cleared");

  await page.getByLabel("Filter").fill("<SCRIPT>");
  const found = await rows(page);
  check(where, found > 0 && found < all, `${found} rows hold the text`);
  await page.getByLabel("Filter").fill("");
  check(where, (await rows(page)) === all, "rows are lost");

  // By keyboard: the button of the first column, and once more.
  const header = page.getByRole("columnheader", { name: "Handle" });
  await header.getByRole("button").focus();
  await page.keyboard.press("Enter");
  const rising = await column(page, 1);
  check(where, (await header.getAttribute("aria-sort")) === "ascending", "not told as sorted");
  await page.keyboard.press("Enter");
  const falling = await column(page, 1);
  check(where, (await header.getAttribute("aria-sort")) === "descending", "not told as sorted");
  check(where, String(rising) === String([...falling].reverse()), "sorted another way");

  await page.getByRole("button", { name: "Answered" }).click();
  const ages = await page.$$eval("tbody tr td:nth-child(4)", (cells) =>
    cells.map((cell) => cell.dataset.sort),
  );
  const known = ages.filter((age) => age !== undefined).map(Number);
  check(where, known.length > 1, "no ages to sort");
  check(
    where,
    String(known) === String([...known].sort((a, b) => a - b))
      && ages.slice(known.length).every((age) => age === undefined),
    `not sorted by age: ${ages}`,
  );
});

await look("scrolled", { viewport: { width: 1280, height: 300 } }, async (page, where) => {
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  const top = await page.locator("thead th").first().evaluate(
    (cell) => cell.getBoundingClientRect().top,
  );
  check(where, top === 0, `the header stands at ${top}`);
});

await look("printed", {}, async (page, where) => {
  await page.emulateMedia({ media: "print" });
  check(where, !(await page.locator("form").isVisible()), "the form is printed");
  check(where, (await rows(page)) === all, "rows are lost");
});

await browser.close();
for (const each of wrong) {
  console.log(each);
}
console.log(`${checks} checks, ${wrong.length} wrong`);
process.exit(wrong.length ? 1 : 0);
