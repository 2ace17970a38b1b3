/** All pages of a kind are equally wide, and lists stay in place while someone types in their search. */
import { createApiKey, type ApiKey } from "@lightkeeper/contract";
import type { Page } from "playwright-core";
import { beforeAll, expect, inject, it } from "vitest";
import { createAccount } from "./account.ts";
import { useBrowser } from "./browser.ts";
import { openPage } from "./open-page.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import { button, rowOf } from "./steps.ts";

const visit = useBrowser();
const server = inject("server");

let page: Page;
let fleet: Fleet;
let apiKey: ApiKey;

beforeAll(async () => {
  const account = await createAccount(server);
  fleet = await createFleet(account.call);
  apiKey = await account.call(createApiKey, { body: { name: "ci", scopes: ["hosts:list"] } });
  ({ page } = await visit({ account, width: 1440, height: 900 }));
});

interface Measured {
  kind: string | null;
  width: number;
  /** The widest element inside: content that ignores the width of its page. */
  widest: number;
}

async function measure(path: string): Promise<Measured> {
  await openPage(page, path);
  await page.locator("main h1").waitFor();
  return page.locator("main [data-page]").evaluate((content) => {
    const { left, width } = content.getBoundingClientRect();
    const ends = [...content.querySelectorAll("*")]
      .filter((element) => element.checkVisibility() && element.closest("[role=dialog], pre") === null)
      .map((element) => element.getBoundingClientRect().right - left);
    return { kind: content.getAttribute("data-page"), width, widest: Math.max(...ends) };
  });
}

const kinds: readonly [kind: string, paths: () => string[]][] = [
  [
    "list",
    () => [
      "/hosts",
      "/lighthouses",
      "/relays",
      "/routes",
      "/roles",
      "/access/matrix",
      "/guarantees",
      "/tags",
      "/certificate-authorities",
      "/logs/audit",
      "/settings/networks",
      "/settings/api-keys",
    ],
  ],
  [
    "detail",
    () => [
      ...["", "/access", "/config", "/activity", "/debug"].map(
        (part) => `/hosts/${fleet.boats[0]!.id}${part}`,
      ),
      `/lighthouses/${fleet.lighthouse.id}`,
      `/relays/${fleet.relay.id}`,
    ],
  ],
  [
    "editor",
    () => [
      "/hosts/add",
      "/lighthouses/add",
      `/hosts/${fleet.boats[0]!.id}/edit`,
      "/roles/add",
      `/roles/${fleet.ferry.id}`,
      "/routes/add",
      `/routes/${fleet.route.id}`,
      "/tags/add",
      `/tags/${encodeURIComponent(fleet.tags[0]!)}`,
    ],
  ],
  [
    "form",
    () => [
      "/hosts/add-several",
      `/hosts/${fleet.boats[0]!.id}/enroll`,
      "/guarantees/add",
      "/tags/reorder",
      "/settings/networks/add",
      `/settings/networks/${fleet.harbour.id}`,
      "/settings/api-keys/add",
      `/settings/api-keys/${apiKey.id}`,
      "/settings/sso/edit",
      "/support/contact",
      "/downloads",
    ],
  ],
  ["settings", () => ["/settings/user", "/settings/billing", "/settings/sso"]],
];

it.each(kinds)("every %s page has the same width at 1440 px", async (kind, paths) => {
  const measured = new Map<string, Measured>();
  for (const path of paths()) measured.set(path, await measure(path));
  const [first] = measured.values();
  for (const [path, { widest, ...of }] of measured) {
    expect(of, `width of ${path}`).toEqual({ kind, width: first!.width });
    expect(widest, `the widest thing on ${path}`).toBeLessThanOrEqual(first!.width + 1);
  }
});

it.each([1280, 1024, 768])("typing in the search doesn't move the list of hosts at %i px", async (width) => {
  await page.setViewportSize({ width, height: 900 });
  await openPage(page, "/hosts");
  const list = page.locator("table").first();
  const top = async () => (await list.boundingBox())?.y;
  await rowOf(page, fleet.boats[0]!.name).waitFor();
  const before = await top();
  await page.getByRole("searchbox").first().fill(fleet.boats[0]!.name);
  await button(page, "Clear").waitFor();
  expect(await top()).toBe(before);
});
