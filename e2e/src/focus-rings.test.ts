/** Tab through pages, dialogs and sheets: no focus ring is clipped. */
import { createApiKey } from "@lightkeeper/contract";
import type { Page } from "playwright-core";
import { beforeAll, describe, inject, it } from "vitest";
import { createAccount } from "./account.ts";
import { useBrowser } from "./browser.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import { expectWholeRings } from "./focus-rings.ts";
import { openPage } from "./open-page.ts";
import { trackRequests } from "./request-tracker.ts";
import { button, checkbox, picker } from "./steps.ts";

const visit = useBrowser();
const server = inject("server");

let page: Page;
let requests: ReturnType<typeof trackRequests>;
let fleet: Fleet;
let keyID: string;

beforeAll(async () => {
  const account = await createAccount(server);
  fleet = await createFleet(account.call, { boats: 3 });
  keyID = (await account.call(createApiKey, { body: { name: "ci", scopes: ["hosts:list"] } })).id;
  ({ page } = await visit({ account }));
  requests = trackRequests(page);
});

async function open(path: string, width: number) {
  await page.setViewportSize({ width, height: 800 });
  await openPage(page, path);
  await requests.waitUntilQuiet();
}

const paths: readonly [name: string, path: () => string][] = [
  ["hosts", () => "/hosts"],
  ["filtered hosts", () => "/hosts?filter.tag=crew%3Anight&filter.status=neverEnrolled"],
  ["lighthouses", () => "/lighthouses"],
  ["a host", () => `/hosts/${fleet.boats[0]!.id}`],
  ["a host's configuration", () => `/hosts/${fleet.boats[0]!.id}/config`],
  ["a host's activity", () => `/hosts/${fleet.boats[0]!.id}/activity`],
  ["a host's debug page", () => `/hosts/${fleet.boats[0]!.id}/debug`],
  ["adding a host", () => "/hosts/add"],
  ["adding several hosts", () => "/hosts/add-several"],
  ["enrolling a host", () => `/hosts/${fleet.boats[0]!.id}/enroll`],
  ["roles", () => "/roles"],
  ["a role", () => `/roles/${fleet.ferry.id}`],
  ["a check of access", () => `/access?source=${fleet.boats[0]!.id}&destination=${fleet.boats[2]!.id}`],
  ["the access matrix", () => "/access/matrix?view=grid"],
  ["a host's access", () => `/hosts/${fleet.boats[0]!.id}/access`],
  ["guarantees", () => "/guarantees"],
  ["adding a guarantee", () => "/guarantees/add"],
  ["routes", () => "/routes"],
  ["a route", () => `/routes/${fleet.route.id}`],
  ["tags", () => "/tags"],
  ["a tag", () => `/tags/${encodeURIComponent(fleet.tags[2]!)}`],
  ["the order of tags", () => "/tags/reorder"],
  ["certificate authorities", () => "/certificate-authorities"],
  ["the audit log", () => "/logs/audit"],
  ["networks", () => "/settings/networks"],
  ["a network", () => `/settings/networks/${fleet.harbour.id}`],
  ["API keys", () => "/settings/api-keys"],
  ["an API key", () => `/settings/api-keys/${keyID}`],
  ["adding an API key", () => "/settings/api-keys/add"],
  ["single sign-on", () => "/settings/sso/edit"],
  ["user settings", () => "/settings/user"],
  ["billing", () => "/settings/billing"],
  ["downloads", () => "/downloads"],
  ["contact", () => "/support/contact"],
];

describe.each([1280, 320])("at %i px, focus rings are fully visible:", (width) => {
  it.each(paths)("%s", async (name, path) => {
    await open(path(), width);
    await expectWholeRings(page, `${name} at ${width}`);
  });

  it.each<[string, () => string]>([
    ["deleting a host", () => `/hosts/${fleet.boats[0]!.id}/delete`],
    ["the export of the log", () => "/logs/audit/export"],
    ["adding an authenticator", () => "/settings/user/totps/add"],
    ["inviting a member", () => "/settings/user/members/invite"],
    ["rotating a key", () => `/settings/api-keys/${keyID}/rotate`],
  ])("the dialog: %s", async (name, path) => {
    await open(path(), width);
    await page.locator('[role="dialog"], [role="alertdialog"]').first().waitFor();
    await expectWholeRings(page, `${name} at ${width}`);
  });

  it("the dialog of a bulk action, with its picker", async () => {
    await open("/hosts", width);
    await checkbox(page, "Select boat-01").check();
    if (width <= 500) await button(page, "Actions").click();
    await button(page, "Add tags").click();
    await picker(page, "Tags").fill("pier");
    await page.getByRole("option").first().waitFor();
    await page.getByRole("option").first().click();
    await expectWholeRings(page, `bulk tags at ${width}`);
  });

  it("the rule editor", async () => {
    await open(`/roles/${fleet.ferry.id}`, width);
    await page.getByRole("button", { name: /^Allow TCP/ }).click();
    await picker(page, "From role").waitFor();
    await expectWholeRings(page, `the rule editor at ${width}`);
  });
});

describe("at 320 px, focus rings are fully visible in sheets:", () => {
  it("filters", async () => {
    await open("/hosts?filter.tag=crew%3Anight", 320);
    await button(page, "Filters 1 active").click();
    await button(page, "Done").waitFor();
    await expectWholeRings(page, "the sheet of filters");
  });

  it("bulk actions", async () => {
    await open("/hosts", 320);
    await checkbox(page, "Select boat-01").check();
    await button(page, "Actions").click();
    await button(page, "Set role").waitFor();
    await expectWholeRings(page, "the sheet of bulk actions");
  });

  it("the menu", async () => {
    await open("/hosts", 320);
    await button(page, "Menu").click();
    await page.getByRole("dialog", { name: "Menu" }).waitFor();
    await expectWholeRings(page, "the menu");
  });
});
