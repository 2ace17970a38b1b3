/// <reference lib="dom" />
/** The access engine on the server, and in a worker of Chromium while the page stays responsive. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Measurements, measureAccess } from "./access-measurements.ts";
import { type Figure, median } from "./figure.ts";

// The benchmarks are bundled, but these libraries can't be.
const require = createRequire(import.meta.url);
const { chromium } = require("playwright-core") as typeof import("playwright-core");
const { build } = require("esbuild") as typeof import("esbuild");

const SOURCES = join(import.meta.dirname, "../../bench/src");
const ORIGIN = "http://access.localhost";
const TASK_MS_LIMIT = 50;

const LIMITS: Record<keyof Measurements, { what: string; limit: number }> = {
  check: { what: "check of a connection among 10,000 hosts", limit: 5 },
  preview: { what: "preview of a role edit among 10,000 hosts", limit: 50 },
  matrix: { what: "matrix of 10,000 hosts", limit: 1000 },
  largePreview: { what: "preview of a role edit among 100,000 hosts", limit: 300 },
  hostChange: { what: "50 guarantees after a change of a host", limit: 0.5 },
  roleChange: { what: "50 guarantees after a change of a role", limit: 1 },
};

const toFigures = (place: string, measurements: Measurements): Figure[] =>
  Object.entries(LIMITS).map(([name, { what, limit }]) => {
    const times = measurements[name as keyof Measurements];
    return {
      what: `${what}, in ${place}`,
      detail: `median of ${times.length}`,
      value: median(times),
      unit: " ms",
      limit,
      limitIs: "at most",
    };
  });

async function bundleWorker(): Promise<string> {
  const contents = `import { measureAccess } from "./access-measurements.ts"; postMessage(measureAccess());`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: SOURCES, loader: "ts" },
    bundle: true,
    format: "iife",
    minify: true,
    platform: "browser",
    write: false,
  });
  return outputFiles[0]!.text;
}

/** Runs in the page. */
async function runWorker(): Promise<{ measurements: Measurements; longestTaskMs: number }> {
  const tasks: number[] = [];
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe(
    {
      entryTypes: ["longtask"],
    },
  );
  const worker = new Worker("/worker.js");
  const measurements = await new Promise<Measurements>((resolve, reject) => {
    worker.addEventListener("message", ({ data }) => resolve(data as Measurements));
    worker.addEventListener("error", ({ message }) => reject(new Error(message)));
  });
  // Performance entries are delivered in a separate task.
  await new Promise((done) => setTimeout(done, 100));
  return { measurements, longestTaskMs: Math.max(0, ...tasks) };
}

async function measureInBrowser(): Promise<Figure[]> {
  const worker = await bundleWorker();
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium-headless-shell",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  try {
    const page = await browser.newPage();
    await page.route(`${ORIGIN}/**`, (route) =>
      route.request().url().endsWith(".js")
        ? route.fulfill({ contentType: "text/javascript", body: worker })
        : route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Access</title>" }),
    );
    await page.goto(ORIGIN);
    const { measurements, longestTaskMs } = await page.evaluate(runWorker);
    return [
      ...toFigures("Chromium", measurements),
      {
        what: "longest task of the page while a worker computes",
        detail: "0 if there is none over 50 ms",
        value: longestTaskMs,
        unit: " ms",
        limit: TASK_MS_LIMIT,
        limitIs: "at most",
      },
    ];
  } finally {
    await browser.close();
  }
}

export async function access(): Promise<Figure[]> {
  return [...toFigures("Node", measureAccess()), ...(await measureInBrowser())];
}
