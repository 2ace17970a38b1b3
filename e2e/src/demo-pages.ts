/** Compares the pages of the demo with each other and with the answers of the API. */
import { getNetworkMap, type HostV2, listNetworks } from "@lightkeeper/contract";
import { expect } from "vitest";
import type { DemoVisitor, DemoWorkspace } from "./demo-visitor.ts";
import { PATIENT } from "./steps.ts";

/** Pages of the same shape show different objects in the same way. */
const shapeOf = (path: string) => {
  const { pathname, searchParams } = new URL(path, "http://localhost");
  const shape = pathname
    .replace(/\/[a-z]+-[A-Z2-7]{26}/g, "/{id}")
    .replace(/^\/tags\/[^/]*:[^/]*/, "/tags/{tag}");
  return [shape, searchParams.get("view")].filter(Boolean).join(" as ");
};

/** One host of each kind and state. */
function chooseSamples(hosts: readonly HostV2[]): HostV2[] {
  const keyOf = ({ isLighthouse, isRelay, metadata: { statuses } }: HostV2) =>
    JSON.stringify([isLighthouse, isRelay, statuses.toSorted()]);
  return [...new Map(hosts.map((host) => [keyOf(host), host])).values()];
}

async function expectHeading({ readHeading }: DemoVisitor, text: string): Promise<void> {
  await expect.poll(readHeading, PATIENT).toBe(text);
}

/** The heading of a list counts its objects. */
export async function expectListOf(
  visitor: DemoVisitor,
  { path, name, count }: { path: string; name: string; count: number },
): Promise<void> {
  await visitor.open(path);
  await expectHeading(visitor, `${name} · ${count}`);
  const rows = visitor.main.getByRole("row").filter({ has: visitor.page.getByRole("cell") });
  expect(await rows.count()).toBeGreaterThanOrEqual(count);
}

/** Follows the links of every page, to one page of each shape. */
export async function expectWholePages(visitor: DemoVisitor, { hosts }: DemoWorkspace): Promise<void> {
  const waiting = ["/hosts", ...chooseSamples(hosts).map(({ id }) => `/hosts/${id}`)];
  const shapes = new Set<string>();
  const broken: string[] = [];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    await visitor.open(path);
    broken.push(...(await visitor.findBrokenLines()));
    for (const next of await visitor.listLinks()) {
      if (shapes.has(shapeOf(next))) continue;
      shapes.add(shapeOf(next));
      waiting.push(next);
    }
  }
  expect({ broken, failed: visitor.failed }).toEqual({ broken: [], failed: [] });
  expect(shapes.size).toBeGreaterThan(70);
}

/** Each count above the list of hosts is the number of hosts in the list that it leads to. */
export async function expectHealthToAgree(visitor: DemoVisitor): Promise<void> {
  const health = visitor.page.getByRole("navigation", { name: "Host health" });
  await visitor.open("/hosts");
  const labels = await health.getByRole("link").allInnerTexts();
  expect(labels).toHaveLength(7);
  for (const label of labels.map((text) => text.replace(/\s+\d+$/, ""))) {
    await visitor.open("/hosts");
    const counted = health.getByRole("link", { name: new RegExp(`^${label} \\d+$`) });
    await counted.click();
    // Both change with the lighthouse that goes down and comes back.
    const agree = async () => {
      const [count] = /\d+$/.exec(await counted.innerText()) ?? [];
      return (await visitor.readHeading()) === `Hosts · ${count}`;
    };
    await expect.poll(agree, { ...PATIENT, message: label }).toBe(true);
  }
}

/** The pages of hosts of every kind and state. */
export async function expectHostPagesToAgree(visitor: DemoVisitor, { hosts }: DemoWorkspace): Promise<void> {
  const { main } = visitor;
  for (const host of chooseSamples(hosts)) {
    await visitor.open(`/hosts/${host.id}`);
    await expectHeading(visitor, host.name);
    await main.getByText(host.ipAddresses[0]!, { exact: true }).first().waitFor();
    if (host.metadata.statuses.includes("online"))
      await main.getByRole("heading", { name: /^Tunnels · \d+/ }).waitFor();
    await visitor.open(`/hosts/${host.id}/config`);
    expect(await main.innerText()).toContain(`am_lighthouse: ${host.isLighthouse}`);
    await visitor.open(`/hosts/${host.id}/activity`);
    await main
      .getByText(/created/i)
      .first()
      .waitFor();
  }
}

const ROWS_SHOWN_MAX = 50;

/** Every host of each network, in the map as a table, and the sums of its tunnels. */
export async function expectMapsToAgree(visitor: DemoVisitor, { call, hosts }: DemoWorkspace): Promise<void> {
  const { page } = visitor;
  for (const { id, name } of (await call(listNetworks)).data) {
    const members = hosts.filter(({ networkID }) => networkID === id);
    const map = await call(getNetworkMap, { params: { networkID: id } });
    expect([name, map.hostCount]).toEqual([name, members.length]);
    await visitor.open(`/hosts/map?filter.networkID=${id}&view=table`);
    await expectHeading(visitor, `Hosts · ${members.length}`);
    const rows = page.getByRole("table", { name: "Hosts on the map" }).getByRole("row");
    // With the row of headings.
    await expect.poll(() => rows.count(), PATIENT).toBe(1 + Math.min(members.length, ROWS_SHOWN_MAX));
    const summary = /(\d+) tunnels? · (\d+) direct, (\d+) relayed/;
    const [, all = 0, direct = 0, relayed = 0] =
      summary.exec(await page.getByText(summary).innerText())?.map(Number) ?? [];
    expect(all).toBeGreaterThan(members.length / 2);
    expect(direct + relayed).toBe(all);
  }
}

const TARGETS_OPENED = 5;

/** The newest entries of the audit log lead to the objects that were changed. */
export async function expectAuditLinksToWork(visitor: DemoVisitor): Promise<void> {
  await visitor.open("/logs/audit");
  expect(await visitor.page.getByRole("button", { name: "Details" }).count()).toBeGreaterThan(20);
  const targets = new Set((await visitor.listLinks()).filter((path) => /-[A-Z2-7]{26}/.test(path)));
  expect(targets.size).toBeGreaterThan(0);
  for (const target of [...targets].slice(0, TARGETS_OPENED)) {
    await visitor.open(target);
    expect(await visitor.findBrokenLines()).toEqual([]);
  }
}
