/** Visits every page of the demo that a link leads to, and compares pages with the answers of the API. */
import {
  type Client,
  type HostState,
  type HostV2,
  getNetworkMap,
  listApiKeys,
  listGuarantees,
  listMembers,
  listNetworks,
  listRoles,
  listRoutes,
  listTags,
} from "@lightkeeper/contract";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { useBrowser } from "./browser.ts";
import { recordShifts, SHIFT_MAX } from "./layout-shifts.ts";
import { openPage } from "./open-page.ts";
import { trackRequests } from "./request-tracker.ts";
import { heading, PATIENT } from "./steps.ts";

interface Demo {
  url: () => string;
  loginLink: () => string;
  call: () => Client;
  hosts: () => readonly HostV2[];
  states: () => ReadonlyMap<string, HostState>;
}

/** What a visitor must not see: data is missing, or a page is broken. */
const BROKEN = /\b(unknown|undefined|NaN|Invalid Date|not reported|something went wrong)\b|\[object |404/i;

/** Pages of the same shape show different objects in the same way. */
const shapeOf = (path: string) => {
  const { pathname, searchParams } = new URL(path, "http://localhost");
  const shape = pathname
    .replace(/\/[a-z]+-[A-Z2-7]{26}/g, "/{id}")
    .replace(/^\/tags\/[^/]*:[^/]*/, "/tags/{tag}");
  return [shape, searchParams.get("view")].filter(Boolean).join(" as ");
};

/** The links of the page into the console. */
const linksOf = (page: Page) =>
  page
    .locator("a[href^='/']:not([download], [target])")
    .evaluateAll((anchors) =>
      anchors
        .map((anchor) => anchor.getAttribute("href") ?? "")
        .filter((path) => !/^\/(docs|v1|v2|downloads\/.|openapi)/.test(path)),
    );

const isOnline = ({ metadata }: HostV2) => metadata.statuses.includes("online");

/** One host of each kind and state. */
function chooseSamples(hosts: readonly HostV2[]): HostV2[] {
  const keyOf = ({ isLighthouse, isRelay, metadata: { statuses } }: HostV2) =>
    JSON.stringify([isLighthouse, isRelay, statuses.toSorted()]);
  return [...new Map(hosts.map((host) => [keyOf(host), host])).values()];
}

/** A busy machine needs longer for all pages. */
const CRAWL_TIMEOUT_MS = 600_000;

/** The pages of the running demo. */
export function describeDemoPages(demo: Demo): void {
  describe("the pages of the demo", () => {
    const visit = useBrowser();
    let page: Page;
    let requests: ReturnType<typeof trackRequests>;
    const failed: string[] = [];

    beforeAll(async () => {
      ({ page } = await visit({ url: demo.url() }));
      requests = trackRequests(page);
      page.on("response", (response) => {
        if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`);
      });
      await page.goto(demo.loginLink());
      await heading(page, /^Hosts/).waitFor();
    });

    async function open(path: string): Promise<void> {
      await openPage(page, path);
      await requests.waitUntilQuiet();
    }
    const main = () => page.getByRole("main");
    const readHeading = () => page.locator("h1").first().innerText();
    const expectHeading = (text: string) => expect.poll(readHeading, PATIENT).toBe(text);

    async function findBrokenLines(path: string): Promise<string[]> {
      const text = `${await page.title()}\n${await page.locator("main").innerText()}`;
      return text.split("\n").flatMap((line) => (BROKEN.test(line) ? [`${path}: ${line}`] : []));
    }

    it(
      "all open, and none has a word for missing data",
      async () => {
        const waiting = ["/hosts", ...chooseSamples(demo.hosts()).map(({ id }) => `/hosts/${id}`)];
        const shapes = new Set<string>();
        const broken: string[] = [];
        for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
          await open(path);
          broken.push(...(await findBrokenLines(path)));
          for (const next of await linksOf(page)) {
            if (shapes.has(shapeOf(next))) continue;
            shapes.add(shapeOf(next));
            waiting.push(next);
          }
        }
        expect({ broken, failed }).toEqual({ broken: [], failed: [] });
        expect(shapes.size).toBeGreaterThan(70);
      },
      CRAWL_TIMEOUT_MS,
    );

    it.each([
      ["/roles", "Roles", listRoles],
      ["/tags", "Tags", listTags],
      ["/routes", "Routes", listRoutes],
      ["/guarantees", "Guarantees", listGuarantees],
      ["/settings/networks", "Networks", listNetworks],
      ["/settings/api-keys", "API keys", listApiKeys],
      ["/settings/members", "Members", listMembers],
    ] as const)("count what they list: %s", async (path, name, list) => {
      const { data } = await demo.call()(list, { query: {} });
      await open(path);
      await expectHeading(`${name} · ${data.length}`);
      expect(await main().getByRole("row").count()).toBeGreaterThanOrEqual(data.length);
    });

    it("count as many hosts in each state as their list has", async () => {
      const health = page.getByRole("navigation", { name: "Host health" });
      await open("/hosts");
      const labels = await health.getByRole("link").allInnerTexts();
      expect(labels).toHaveLength(7);
      for (const label of labels.map((text) => text.replace(/\s+\d+$/, ""))) {
        await open("/hosts");
        const counted = health.getByRole("link", { name: new RegExp(`^${label} \\d+$`) });
        await counted.click();
        // Both change with the lighthouse that goes down and comes back.
        const agree = async () =>
          `Hosts · ${/\d+$/.exec(await counted.innerText())?.[0]}` === (await readHeading());
        await expect.poll(agree, { ...PATIENT, message: label }).toBe(true);
      }
    });

    it("show each host with its address, its tunnels, its configuration and its activity", async () => {
      for (const host of chooseSamples(demo.hosts())) {
        await open(`/hosts/${host.id}`);
        await expectHeading(host.name);
        await main().getByText(host.ipAddresses[0]!, { exact: true }).first().waitFor();
        if (isOnline(host))
          await main()
            .getByRole("heading", { name: /^Tunnels · \d+/ })
            .waitFor();
        await open(`/hosts/${host.id}/config`);
        expect(await main().innerText()).toContain(`am_lighthouse: ${host.isLighthouse}`);
        await open(`/hosts/${host.id}/activity`);
        await main()
          .getByText(/created/i)
          .first()
          .waitFor();
      }
    });

    it("draw every host and tunnel of a network on its map", async () => {
      const { data } = await demo.call()(listNetworks, { query: {} });
      for (const { id, name } of data) {
        const members = demo.hosts().filter(({ networkID }) => networkID === id);
        const map = await demo.call()(getNetworkMap, { params: { networkID: id } });
        expect([name, map.hostCount]).toEqual([name, members.length]);
        await open(`/hosts/map?filter.networkID=${id}&view=table`);
        await expectHeading(`Hosts · ${members.length}`);
        const rows = page.getByRole("table", { name: "Hosts on the map" }).getByRole("row");
        // With the row of headings.
        await expect.poll(() => rows.count(), PATIENT).toBe(1 + Math.min(members.length, ROWS_SHOWN_MAX));
        const summary = /(\d+) tunnels? · (\d+) direct, (\d+) relayed/;
        const [, all = 0, direct = 0, relayed = 0] =
          summary.exec(await page.getByText(summary).innerText())?.map(Number) ?? [];
        expect(all).toBeGreaterThan(members.length / 2);
        expect(direct + relayed).toBe(all);
      }
    });

    it.each([1280, 412])("load the list of hosts without layout shifts at %i px", async (width) => {
      const { page: other } = await visit({ url: demo.url(), width });
      await other.goto(demo.loginLink());
      await heading(other, /^Hosts/).waitFor();
      const readShift = await recordShifts(other);
      const { waitUntilQuiet } = trackRequests(other);
      await other.goto("/hosts");
      await other.getByRole("region", { name: /^Needs attention/ }).waitFor();
      await waitUntilQuiet();
      expect(await readShift()).toBeLessThanOrEqual(SHIFT_MAX);
      await other.close();
    });

    it("lead from each entry of the audit log to what was changed", async () => {
      await open("/logs/audit");
      expect(await page.getByRole("button", { name: "Details" }).count()).toBeGreaterThan(20);
      const targets = new Set((await linksOf(page)).filter((path) => ID.test(path)));
      expect(targets.size).toBeGreaterThan(0);
      for (const target of [...targets].slice(0, TARGETS_OPENED)) {
        await open(target);
        expect(await findBrokenLines(target)).toEqual([]);
      }
    });
  });
}

const ROWS_SHOWN_MAX = 50;
const TARGETS_OPENED = 5;
const ID = /-[A-Z2-7]{26}/;
