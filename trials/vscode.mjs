// Plays a user of VS Code: vscode.py starts the editor and this.
//
//   node vscode.mjs CHROMIUM ADDRESS FOLDER PICTURE
//
// Prints one line of JSON for each thing that the user sees; PICTURE keeps the page with a
// hover, if it is not empty.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.cwd(), "here.js"));
const { chromium } = require("playwright-core");
const [executablePath, address, folder, picture] = process.argv.slice(2);
const say = (what, value) => console.log(JSON.stringify([what, value]));

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 900, height: 376 }, deviceScaleFactor: 2 });
page.setDefaultTimeout(90_000);
const file = `vscode-remote://${new URL(address).host}${folder}/history.md`;
const payload = encodeURIComponent(JSON.stringify([["openFile", file]]));
await page.goto(`${address}?folder=${folder}&payload=${payload}`);
const line = (text) => page.locator(".view-line", { hasText: text });
await page.locator("[class*=squiggly-warning]").nth(2).waitFor();
// The hints come after the findings, and move the text.
await page.locator(".view-line", { hasText: "retracted" }).waitFor();

await page.keyboard.press("Control+b");
await page.locator(".sidebar").waitFor({ state: "hidden" });
const place = await line("(doi:10.1016").boundingBox();
await page.mouse.move(place.x + 200, place.y + place.height / 2);
const hover = page.locator(".monaco-hover:visible", { hasText: "Wakefield, A. J." });
// The frame of a hover grows until it has all its parts.
await hover.getByRole("button", { name: "Quick Fix" }).waitFor();
say("hover", (await hover.innerText()).split(/\n+/));
if (picture) await page.screenshot({ path: picture });

await page.setViewportSize({ width: 900, height: 800 });
await page.keyboard.press("Escape");
await page.keyboard.press("Control+Shift+m");
const count = page.locator(".markers-panel .monaco-list-row .monaco-count-badge");
await count.waitFor();
say("problems", await count.innerText());
await page.keyboard.press("Control+j");

await line("and doi:").click();
await page.keyboard.press("Home");
for (let step = 0; step < 12; step += 1) await page.keyboard.press("ArrowRight");
await page.keyboard.press("Control+.");
const actions = page.locator(".action-widget .monaco-list-row.action");
await actions.first().waitFor();
say("actions", await actions.allInnerTexts());
await page.keyboard.press("Enter");
await page.locator(".view-line", { hasText: "10.1000/182" }).waitFor();

await page.keyboard.press("Control+End");
await page.keyboard.type("{doi}`kahn");
const offered = page.locator(".suggest-widget .monaco-list-row .label-name", { hasText: "Kahn" });
await offered.first().waitFor();
say("offered", await offered.first().innerText());
await page.keyboard.press("Enter");
await page.locator(".view-line", { hasText: "{doi}`10.1007" }).waitFor();
// The editor saves by itself.
const saved = () => readFileSync(join(folder, "history.md"), "utf8");
for (let tries = 0; tries < 100 && !saved().includes("{doi}`10.1007"); tries += 1) {
  await page.waitForTimeout(100);
}
await browser.close();
