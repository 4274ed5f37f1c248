// What a browser makes of the block "cite this version": see browser_citation.py,
// which makes the pages and starts this.
//
//   node browser_citation.mjs CHROMIUM SITE PICTURES PAGE…
//
// SITE is a folder of built pages, PAGE a path in it, PICTURES a folder or nothing. Prints what is wrong, a line
// each, and ends with 1 if anything is.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";

const require = createRequire(join(process.cwd(), "here.js"));
const { chromium } = require("playwright-core");
const axe = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");
const [browserPath, site, pictures, ...pages] = process.argv.slice(2);

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
  ".js": "text/javascript",
};
const server = createServer(async (request, response) => {
  const path = normalize(decodeURI(new URL(request.url, "http://x").pathname));
  try {
    const content = await readFile(join(site, path));
    response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "text/plain" });
    response.end(content);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const root = `http://127.0.0.1:${server.address().port}/`;

const wrong = [];
let checks = 0;
const check = (where, holds, what) => {
  checks += 1;
  if (!holds) {
    wrong.push(`${where}: ${what}`);
  }
};
const BLOCK = "section.hdl-cite";
const WIDTHS = [1280, 360];

// Every violation that axe finds in the block, folded and unfolded, wide and narrow.
const accessible = async (page, where) => {
  for (const [open, width] of [[false, WIDTHS[0]], [true, WIDTHS[0]], [true, WIDTHS[1]]]) {
    await page.setViewportSize({ width, height: 900 });
    await page.$$eval(`${BLOCK} details`, (all, open) => {
      for (const each of all) {
        each.open = open;
      }
    }, open);
    const found = await page.evaluate(
      async (block) => (await window.axe.run(block)).violations.map(
        (each) => `${each.id} at ${each.nodes.map((node) => node.target).join(", ")}`,
      ),
      BLOCK,
    );
    const state = `${width}, ${open ? "unfolded" : "folded"}`;
    check(where, found.length === 0, `axe, ${state}: ${found.join("; ")}`);
  }
};

// What the browser tells a screen reader: a table stays one, however it is laid out.
const readAloud = async (page, where) => {
  const client = await page.context().newCDPSession(page);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const { nodes } = await client.send("Accessibility.getFullAXTree");
    const told = nodes.filter((node) => !node.ignored);
    const named = (role) => told
      .filter((node) => node.role?.value === role)
      .map((node) => node.name?.value);
    check(where, named("group").includes("Cite this version"), `${width}: no group`);
    check(where, named("table").includes("Version history"), `${width}: no table`);
    check(where, named("columnheader").length >= 4, `${width}: columns have no names`);
    check(
      where,
      String(named("rowheader")) === "0.9,1.0",
      `${width}: rows are called ${named("rowheader")}`,
    );
  }
};

// Dates on one line, and nothing wider than the page.
const legible = async (page, where) => {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    if (pictures) {
      const name = `${where} ${width}.png`.replaceAll("/", " ");
      await page.screenshot({ path: join(pictures, name), fullPage: true });
    }
    const lines = await page.$$eval(`${BLOCK} .hdl-date`, (cells) => cells.map((cell) => {
      const range = document.createRange();
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      let text = texts.nextNode();
      while (text && !text.data.trim()) {
        text = texts.nextNode();
      }
      range.selectNodeContents(text ?? cell);
      const tops = [...range.getClientRects()].map((each) => Math.round(each.top));
      return new Set(tops).size;
    }));
    check(where, lines.every((count) => count <= 1), `${width}: a date is broken`);
    const over = await page.$$eval(
      `${BLOCK}, ${BLOCK} :is(p, pre, table):not(thead *)`,
      // Furo's frames of tables stand out by a few pixels.
      (all) => all
        .filter((each) => each.scrollWidth > each.clientWidth + 8)
        .map((each) => `${each.tagName} ${each.className}`),
    );
    check(where, over.length === 0, `${width}: wider than its place: ${over.join(", ")}`);
  }
  await page.setViewportSize({ width: WIDTHS[0], height: 900 });
};

const fold = async (page, where) => {
  const details = page.locator(`${BLOCK} details`).first();
  await details.evaluate((each) => { each.open = false; });
  check(where, !(await details.locator("pre").isVisible()), "a format is not folded");
  await details.locator("summary").focus();
  await page.keyboard.press("Enter");
  check(where, await details.locator("pre").isVisible(), "Enter does not unfold it");
  await details.locator("summary").click();
  check(where, !(await details.locator("pre").isVisible()), "a click does not fold it");
};

const copies = async (page, where) => {
  await page.$$eval(`${BLOCK} details`, (all) => all.forEach((each) => { each.open = true; }));
  const expected = await page.$$eval(`${BLOCK} .hdl-copy`, (all) => all.map((button) => {
    const format = button.closest("details");
    const place = button.closest("p");
    if (format) {
      return format.querySelector("pre").textContent;
    }
    const reference = place.classList.contains("hdl-cite-reference");
    const copy = place.cloneNode(true);
    for (const each of copy.querySelectorAll("button, [role=status]")) {
      each.remove();
    }
    return reference ? copy.textContent.trimEnd() : copy.querySelector("a").textContent;
  }));
  check(where, expected.length >= 4, `only ${expected.length} buttons`);
  for (const [index, text] of expected.entries()) {
    const button = page.locator(`${BLOCK} .hdl-copy`).nth(index);
    await button.focus();
    await page.keyboard.press("Enter");
    const said = button.locator("xpath=following-sibling::*[@role='status']");
    await said.filter({ hasText: "Copied" }).waitFor({ timeout: 2000 });
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    check(where, copied === text, `button ${index} copies ${JSON.stringify(copied)}`);
  }
};

// Tab reaches everything that can be used, in the order of reading.
const tabs = async (page, where) => {
  await page.$$eval(`${BLOCK} details`, (all) => all.forEach((each) => { each.open = true; }));
  const usable = await page.$$eval(
    `${BLOCK} :is(a[href], button, summary)`,
    (all) => all.map((each, index) => {
      each.dataset.order = index;
      return index;
    }),
  );
  await page.$eval(BLOCK, (block) => {
    const before = document.createElement("a");
    before.href = "#before";
    before.id = "before-block";
    before.textContent = "before";
    block.before(before);
    before.focus();
  });
  const reached = [];
  const shown = [];
  for (const _ of usable) {
    await page.keyboard.press("Tab");
    const [order, ring] = await page.evaluate(() => {
      const style = getComputedStyle(document.activeElement);
      const ring = style.outlineStyle !== "none" || style.boxShadow !== "none";
      return [document.activeElement.dataset.order, ring];
    });
    reached.push(Number(order));
    shown.push(ring);
  }
  await page.$eval("#before-block", (each) => each.remove());
  check(where, String(reached) === String(usable), `tab order is ${reached}`);
  check(where, shown.every(Boolean), "what has the focus cannot be seen");
};

const prints = async (page, where) => {
  await page.$$eval(`${BLOCK} details`, (all) => all.forEach((each) => { each.open = false; }));
  await page.emulateMedia({ media: "print" });
  const visible = (what) => page.$$eval(
    `${BLOCK} ${what}`,
    (all) => all.filter((each) => each.checkVisibility()).length,
  );
  check(where, (await visible(".hdl-copy")) === 0, "buttons are printed");
  check(where, (await visible("details")) === 0, "folded formats are printed");
  check(where, (await visible(".hdl-cite-this")) === 1, "the statement is not printed");
  check(where, (await visible("table")) === 1, "the history is not printed");
  await page.emulateMedia({ media: "screen" });
};

const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
for (const name of pages) {
  for (const colorScheme of ["light", "dark"]) {
    const where = `${name} (${colorScheme})`;
    const context = await browser.newContext({
      colorScheme,
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const page = await context.newPage();
    page.on("pageerror", (error) => check(where, false, `script: ${error.message}`));
    await page.goto(root + name);
    await page.evaluate(axe);
    await accessible(page, where);
    await readAloud(page, where);
    await legible(page, where);
    await fold(page, where);
    await copies(page, where);
    await prints(page, where);
    await tabs(page, where);
    await context.close();
  }
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const where = `${name} (no script)`;
  await page.goto(root + name);
  check(where, (await page.locator(".hdl-copy").count()) === 0, "there are buttons");
  const details = page.locator(`${BLOCK} details`).first();
  await details.locator("summary").click();
  check(where, await details.locator("pre").isVisible(), "a format does not unfold");
  await context.close();
}
await browser.close();
server.close();
for (const line of wrong) {
  console.log(line);
}
console.log(`${pages.length} pages, ${checks} checks, ${wrong.length} wrong`);
process.exitCode = wrong.length > 0 ? 1 : 0;
