/// <reference lib="dom" />
/** The list of hosts in Chromium, with 100,000 hosts and with 100. */
import type pg from "pg";
import type { Page } from "playwright-core";
import { compare } from "./comparison.ts";
import { type ConsoleSystem, startConsoleSystem } from "./console-system.ts";
import type { Figure } from "./figure.ts";
import { takeLongest, watchTasks } from "./long-tasks.ts";

const [SMALL, LARGE] = [100, 100_000];
/** The seeds create at least this number of hosts. */
const SEEDED_MIN = 200;
const LOADS = 10;
const LOAD_RATIO_LIMIT = 1.2;
const KEY_MS_LIMIT = 100;
const HEAP_MIB_LIMIT = 60;
const TURN_MS_LIMIT = 200;
const TASK_MS_LIMIT = 50;
const MIB = 1024 * 1024;
const TYPING_MS = 150;

/** Parts of names, addresses, tags and roles, and one without results. */
const SEARCHES = ["web-fra-001", "100.64.3", "debug:verbose", "database", "nothing like it"];
/** Warm-up: a server that has just started is slower. */
const FIRST_SEARCHES = ["cache-lon", "team:web", "10.1"];
const PAGES = 5;
const ROWS_PER_PAGE = 100;

const FIRST_ROW = "tbody td[data-lead] a";

/** Milliseconds from an empty browser to the first painted row. */
async function loadHosts(system: ConsoleSystem, hosts: number): Promise<number> {
  const context = await system.visit(hosts);
  const page = await context.newPage();
  await page.addInitScript((row) => {
    const painted = new Promise<number>((done) => {
      const look = () =>
        document.querySelector(row)
          ? requestAnimationFrame(() => setTimeout(() => done(performance.now())))
          : requestAnimationFrame(look);
      requestAnimationFrame(look);
    });
    Object.assign(window, { painted });
  }, FIRST_ROW);
  await page.goto("/hosts", { waitUntil: "commit" });
  const ms = await page.evaluate(() => (window as unknown as { painted: Promise<number> }).painted);
  await context.close();
  return ms;
}

async function measureLoad(system: ConsoleSystem): Promise<Figure> {
  const { smallMs, largeMs, rounds } = await compare(
    () => loadHosts(system, SEEDED_MIN),
    () => loadHosts(system, LARGE),
    { rounds: LOADS, limit: LOAD_RATIO_LIMIT },
  );
  return {
    what: "cold load of /hosts to its first row",
    detail: `${largeMs.toFixed(0)} ms among ${LARGE} hosts to ${smallMs.toFixed(0)} among ${SMALL}, median of ${rounds}`,
    value: largeMs / smallMs,
    unit: "×",
    limit: LOAD_RATIO_LIMIT,
    limitIs: "at most",
  };
}

/** Records, in the page, how long each key takes from the input to the painted list. */
const recordKeyTimes = (page: Page) =>
  page.evaluate(() => {
    const times: number[] = [];
    Object.assign(window, { times });
    const isBusy = () => document.querySelector("table[aria-busy=true]") !== null;
    addEventListener("input", ({ timeStamp }) => {
      const look = () => {
        if (isBusy()) requestAnimationFrame(look);
        else setTimeout(() => times.push(performance.now() - timeStamp));
      };
      // React renders the input and marks the list as busy before the next frame.
      requestAnimationFrame(look);
    });
  });

const timesOf = (page: Page) => page.evaluate(() => (window as unknown as { times: number[] }).times);

async function measureKeys(page: Page, hosts: number): Promise<Figure> {
  await page.goto("/hosts");
  await page.locator(FIRST_ROW).first().waitFor();
  const search = page.getByRole("searchbox");
  for (const words of FIRST_SEARCHES) {
    await search.fill("");
    await search.pressSequentially(words, { delay: TYPING_MS });
  }
  await page.locator("table[aria-busy=false]").waitFor();
  await recordKeyTimes(page);
  let pressed = 0;
  for (const words of SEARCHES) {
    // Clearing an empty input fires no event.
    if ((await search.inputValue()) !== "") pressed += 1;
    await search.fill("");
    for (const letter of words) {
      await search.press(letter === " " ? "Space" : letter);
      pressed += 1;
      await page.waitForFunction(
        (count) => (window as unknown as { times: number[] }).times.length >= count,
        pressed,
      );
    }
  }
  const times = (await timesOf(page)).toSorted((a, b) => a - b);
  return {
    what: "from a key in the search to the painted result",
    detail: `95th of 100, ${times.length} keys among ${hosts} hosts`,
    value: times[Math.floor(times.length * 0.95)] ?? Infinity,
    unit: " ms",
    limit: KEY_MS_LIMIT,
    limitIs: "at most",
  };
}

async function scrollDown(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const frame = () => new Promise(requestAnimationFrame);
    for (let top = 0; top < document.documentElement.scrollHeight; top += 120) {
      scrollTo(0, top);
      await frame();
    }
  });
}

/** Waits for the last row: rows on the screen are rendered before the others. */
const waitForRows = (page: Page) =>
  page
    .locator("tbody tr")
    .nth(ROWS_PER_PAGE - 1)
    .waitFor();

async function measureScrolling(page: Page): Promise<Figure[]> {
  await page.goto(`/hosts?pageSize=${ROWS_PER_PAGE}`);
  await waitForRows(page);
  await watchTasks(page);
  const longest = { scrolling: 0, turning: 0 };
  for (let turned = 1; turned <= PAGES; turned++) {
    await takeLongest(page);
    await scrollDown(page);
    longest.scrolling = Math.max(longest.scrolling, await takeLongest(page));
    if (turned === PAGES) break;
    const range = `${turned * ROWS_PER_PAGE + 1}–`;
    await page.getByRole("button", { name: "Next", exact: true }).click();
    await page.getByRole("navigation", { name: "Pages" }).getByText(range).waitFor();
    await waitForRows(page);
    longest.turning = Math.max(longest.turning, await takeLongest(page));
  }
  const detail = `${PAGES} pages of ${ROWS_PER_PAGE} rows among ${LARGE} hosts; 0: none over 50 ms`;
  const figure = { detail, unit: " ms", limitIs: "at most" } as const;
  return [
    { ...figure, what: "longest task while scrolling", value: longest.scrolling, limit: TASK_MS_LIMIT },
    { ...figure, what: "longest task of turning a page", value: longest.turning, limit: TURN_MS_LIMIT },
  ];
}

async function measureMemory(page: Page): Promise<Figure> {
  const protocol = await page.context().newCDPSession(page);
  await protocol.send("HeapProfiler.collectGarbage");
  const { usedSize } = await protocol.send("Runtime.getHeapUsage");
  return {
    what: "memory of the page",
    detail: `JavaScript heap after ${PAGES} pages of ${ROWS_PER_PAGE} rows`,
    value: usedSize / MIB,
    unit: " MiB",
    limit: HEAP_MIB_LIMIT,
    limitIs: "at most",
  };
}

/** Deletes hosts of the smaller organization. */
async function shrinkSmallest(client: pg.Client): Promise<void> {
  await client.query(
    `delete from hosts where id in (
      select id from hosts
        where organization_id = (select organization_id from hosts group by organization_id order by count(*) limit 1)
          and not is_lighthouse and not is_relay and not exists (select from routes where router_host_id = hosts.id)
        limit $1)`,
    [SEEDED_MIN - SMALL],
  );
}

export async function consoleInBrowser(): Promise<Figure[]> {
  const system = await startConsoleSystem([SEEDED_MIN, LARGE], shrinkSmallest);
  try {
    const load = await measureLoad(system);
    const [few, many] = [await system.visit(SEEDED_MIN), await system.visit(LARGE)];
    const fewKeys = await measureKeys(await few.newPage(), SMALL);
    await few.close();
    const page = await many.newPage();
    const keys = await measureKeys(page, LARGE);
    const scrolling = await measureScrolling(page);
    return [load, fewKeys, keys, ...scrolling, await measureMemory(page)];
  } finally {
    await system.stop();
  }
}
