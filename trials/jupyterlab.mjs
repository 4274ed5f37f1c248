// Plays a user of JupyterLab: jupyterlab.py starts it and this.
//
//   node jupyterlab.mjs CHROMIUM ADDRESS
//
// Prints one line of JSON for each thing that the user sees.

import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.cwd(), "here.js"));
const { chromium } = require("playwright-core");
const [executablePath, address] = process.argv.slice(2);
const say = (what, value) => console.log(JSON.stringify([what, value]));

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1200, height: 700 } });
page.setDefaultTimeout(90_000);
const findings = page.locator(".cm-lintRange");

await page.goto(`${address}/tree/cells.ipynb?reset`);
await page.locator(".jp-MarkdownOutput").dblclick();
await findings.first().waitFor();
say("cell", await findings.allInnerTexts());

await page.goto(`${address}/tree/history.md?reset`);
await findings.nth(2).waitFor();
say("findings", await findings.allInnerTexts());

// A hover needs markup below the pointer, the control key, and a pointer that moves.
const place = await findings.first().boundingBox();
const hover = page.locator(".lsp-hover");
const point = (step) => page.mouse.move(place.x + 40 + step, place.y + place.height / 2);
await point(0);
await page.waitForTimeout(500);
await page.keyboard.down("Control");
for (let step = 1; step < 10 && (await hover.count()) === 0; step += 1) {
  await point(2 * step);
  await page.waitForTimeout(4000);
}
await page.keyboard.up("Control");
say("hover", (await hover.innerText()).split(/\n+/).map((text) => text.trim()));

await page.locator(".cm-line").last().click();
await page.keyboard.press("Control+End");
await page.keyboard.type("{doi}`");
await page.waitForTimeout(2000);
await page.keyboard.press("Tab");
const offered = page.locator(".jp-Completer .jp-Completer-item:visible");
await offered.first().waitFor();
say("offered", (await offered.allInnerTexts()).map((text) => text.split("\n")[0]));
await page.keyboard.type("kahn", { delay: 200 });
await page.waitForTimeout(1000);
await page.keyboard.press("Enter");
await page.locator(".cm-line", { hasText: "{doi}`10.1007" }).waitFor();
say("line", await page.locator(".cm-line", { hasText: "{doi}" }).innerText());
await browser.close();
