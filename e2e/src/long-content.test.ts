/** The longest content that the API accepts, and empty lists, at every width that the layout distinguishes. */
import {
  createApiKey,
  createHostV2,
  createNetwork,
  createRole,
  createRoute,
  createTag,
} from "@lightkeeper/contract";
import type { Page } from "playwright-core";
import { beforeAll, describe, inject, it } from "vitest";
import { createAccount } from "./account.ts";
import { useBrowser } from "./browser.ts";
import { openPage } from "./open-page.ts";
import { expectNoOverlap, expectReadable, expectToFit, takeScreenshots } from "./screen-checks.ts";

const visit = useBrowser();
const server = inject("server");

const WIDTHS = [1440, 1280, 915, 500, 320];
const FQDN = "build-runner-17.eu-central-1.compute.internal.corp.example.net".slice(0, 60);
const LONG_NAME = "Vaðlaheiðarvegavinnuverkfærageymsluskúrslyklakippuhringurinn".repeat(5).slice(0, 255);
const SHORT_NAME = LONG_NAME.slice(0, 50);
const tags = Array.from({ length: 12 }, (_, index) => `team-${index}:platform-engineering-${index}`);

let full: Page;
let empty: Page;
const addresses = new Map<string, string>();

beforeAll(async () => {
  const account = await createAccount(server);
  const { call } = account;
  const network = await call(createNetwork, { body: { name: LONG_NAME, description: LONG_NAME } });
  for (const name of tags) await call(createTag, { body: { name, description: LONG_NAME } });
  const rule = { protocol: "TCP" as const, portRange: { from: 1, to: 65_535 }, description: LONG_NAME };
  const role = await call(createRole, {
    body: {
      name: SHORT_NAME,
      description: LONG_NAME,
      firewallRules: [{ ...rule, allowedTags: tags }, { protocol: "ANY" }],
    },
  });
  const body = { networkID: network.id, roleID: role.id, tags };
  const host = await call(createHostV2, { body: { ...body, name: FQDN } });
  await call(createHostV2, { body: { ...body, name: LONG_NAME } });
  const route = await call(createRoute, {
    body: { name: SHORT_NAME, description: LONG_NAME, routerHostID: host.id, firewallRules: [rule] },
  });
  const { id: apiKeyID } = await call(createApiKey, { body: { name: SHORT_NAME, scopes: ["hosts:list"] } });
  addresses.set("host", `/hosts/${host.id}`);
  addresses.set("host-config", `/hosts/${host.id}/config`);
  addresses.set("host-edit", `/hosts/${host.id}/edit`);
  addresses.set("host-enroll", `/hosts/${host.id}/enroll`);
  addresses.set("role", `/roles/${role.id}`);
  addresses.set("route", `/routes/${route.id}`);
  addresses.set("tag", `/tags/${encodeURIComponent(tags[0]!)}`);
  addresses.set("network", `/settings/networks/${network.id}`);
  addresses.set("api-key", `/settings/api-keys/${apiKeyID}`);
  const fresh = await createAccount(server);
  await fresh.call(createNetwork, { body: { name: "Harbor" } });
  ({ page: full } = await visit({ account }));
  ({ page: empty } = await visit({ account: fresh }));
});

const LISTS = [
  "/hosts",
  "/lighthouses",
  "/relays",
  "/routes",
  "/roles",
  "/certificate-authorities",
  "/tags",
  "/tags/reorder",
  "/logs/audit",
  "/settings/networks",
  "/settings/api-keys",
  "/settings/members",
  "/settings/organization",
  "/settings/user",
  "/settings/billing",
  "/settings/sso",
];

async function expectEverythingShown(page: Page, path: string, what: string): Promise<void> {
  await openPage(page, path);
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    await takeScreenshots(page, `${what}-${width}`);
    await expectToFit(page, `${what} at ${width}`);
    await expectNoOverlap(page, `${what} at ${width}`);
    await expectReadable(page, `${what} at ${width}`);
  }
}

describe("nothing overlaps, and truncated text can be read in full,", () => {
  it.each(LISTS)("with long content: %s", (path) =>
    expectEverythingShown(full, path, `long${path.replaceAll("/", "-")}`),
  );

  it.each(["host", "host-config", "host-edit", "host-enroll", "role", "route", "tag", "network", "api-key"])(
    "with long content: the page of a %s",
    (name) => expectEverythingShown(full, addresses.get(name)!, `long-${name}`),
  );

  it.each(LISTS)("with nothing to show: %s", (path) =>
    expectEverythingShown(empty, path, `empty${path.replaceAll("/", "-")}`),
  );
});
