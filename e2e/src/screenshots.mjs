/**
 * Takes the pictures in docs/images/: starts the demo with a data directory of its own, opens each page in Chromium in
 * both themes and writes the pictures as WebP. Takes the names of pictures as arguments; without any, takes all.
 */
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";

/** What each picture shows. `heading` starts the page's title, and `ready` is in the page once its data has loaded. */
const pictures = [
  { name: "hosts", path: "/hosts", heading: "Hosts", ready: "table tbody tr" },
  { name: "map", path: "/hosts/map", heading: "Hosts", ready: "canvas" },
  { name: "access-matrix", path: "/access/matrix", heading: "Access matrix", ready: '[role="gridcell"]' },
];
const themes = ["light", "dark"];
const VIEWPORT = { width: 1280, height: 800 };
const PIXEL_RATIO = 2;
const QUALITY = 80;

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell";
const START_MS_MAX = 300_000;
const PAGE_MS_MAX = 60_000;
/** A page without changes for this long is settled. */
const QUIET_MS = 1000;

const root = resolve(import.meta.dirname, "../..");
const directory = join(root, "docs/images");

async function findFreePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** Resolves with the link that logs in, which the demo prints when it is ready. */
async function startDemo() {
  const dataDir = mkdtempSync(join(tmpdir(), "lightkeeper-screenshots-"));
  // As root, the database runs as another user, who needs access to this directory.
  chmodSync(dataDir, 0o711);
  const child = spawn(process.execPath, ["scripts/demo.mjs"], {
    cwd: root,
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: String(await findFreePort()) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = new Promise((done) => child.once("exit", done));
  const stop = async () => {
    child.kill("SIGINT");
    await exited;
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    return { link: await readLink(child, exited), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function readLink(child, exited) {
  let output = "";
  return new Promise((found, fail) => {
    const failWith = (reason) => fail(new Error(`${reason}:\n${output}`));
    const timer = setTimeout(() => failWith("The demo wasn't ready in time"), START_MS_MAX);
    const read = (chunk) => {
      output += chunk;
      const [link] = /http:\/\/localhost:\d+\/demo\/[\w-]+/.exec(output) ?? [];
      if (!link) return;
      clearTimeout(timer);
      found(link);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    void exited.then(() => failWith("The demo stopped"));
  });
}

/** Runs in the page: waits until fonts are loaded and nothing has changed for a while. */
async function settle(quietMs) {
  await document.fonts.ready;
  await new Promise((done) => {
    let timer = setTimeout(done, quietMs);
    const observer = new MutationObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(done, quietMs);
    });
    observer.observe(document.body, { subtree: true, childList: true, attributes: true });
    // Live pages never stop changing.
    setTimeout(done, quietMs * 10);
  });
}

async function takePicture(page, { name, path, heading, ready }, theme) {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
  await page.goto(path);
  await page.getByRole("heading", { level: 1, name: new RegExp(`^${heading}`) }).waitFor();
  await page.locator(ready).first().waitFor();
  // The notice that this is a demo belongs to no picture.
  await page.locator(".notice-bar").evaluateAll((notices) => notices.forEach((notice) => notice.remove()));
  await page.evaluate(settle, QUIET_MS);
  // Playwright writes PNG and JPEG only; WebP has a quarter of the size.
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: QUALITY });
  await session.detach();
  const file = join(directory, `${name}-${theme}.webp`);
  const content = Buffer.from(data, "base64");
  writeFileSync(file, content);
  process.stdout.write(`docs/images/${name}-${theme}.webp ${Math.round(content.length / 1024)} KB\n`);
}

async function takePictures(selected, link) {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--hide-scrollbars"],
  });
  try {
    const context = await browser.newContext({
      baseURL: new URL(link).origin,
      viewport: VIEWPORT,
      deviceScaleFactor: PIXEL_RATIO,
    });
    context.setDefaultTimeout(PAGE_MS_MAX);
    const page = await context.newPage();
    await page.goto(link);
    for (const picture of selected) for (const theme of themes) await takePicture(page, picture, theme);
  } finally {
    await browser.close();
  }
}

const names = process.argv.slice(2);
const unknown = names.filter((name) => !pictures.some((picture) => picture.name === name));
if (unknown.length > 0) throw new Error(`There is no picture named ${unknown.join(" or ")}.`);
mkdirSync(directory, { recursive: true });
const demo = await startDemo();
try {
  await takePictures(
    pictures.filter(({ name }) => names.length === 0 || names.includes(name)),
    demo.link,
  );
} finally {
  await demo.stop();
}
