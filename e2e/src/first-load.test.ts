/** How much code the first page and each further page load. */
import { blockHostV2 } from "@lightkeeper/contract";
import type { Page } from "playwright-core";
import { beforeAll, expect, inject, it } from "vitest";
import { type Account, createAccount } from "./account.ts";
import { useBrowser } from "./browser.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import { formatLoads, kilobytesOf, record, scriptsOf } from "./loads.ts";
import { rowOf } from "./steps.ts";

const visit = useBrowser();
const server = inject("server");
let account: Account;
let fleet: Fleet;

const FIRST_KB_MAX = 185;
const FURTHER_KB_MAX = 40;

beforeAll(async () => {
  account = await createAccount(server);
  fleet = await createFleet(account.call, { boats: 24 });
});

it(`loads /hosts with at most ${FIRST_KB_MAX} KB of JavaScript, compressed, without full zod`, async () => {
  const { page } = await visit({ account });
  const { all, failed, takeNew } = await record(page);
  await page.goto("/hosts");
  await rowOf(page, "boat-01").waitFor();
  await page.getByRole("heading", { level: 1, name: "Hosts · 25", exact: true }).waitFor();
  const scripts = scriptsOf(await takeNew());
  const kilobytes = kilobytesOf(scripts);
  const calls = all().filter(({ path }) => /^\/v\d\//.test(path));
  const figures = [
    `${kilobytes.toFixed(1)} KB of JavaScript in ${scripts.length} files, ${calls.length} calls of the API`,
    ...formatLoads(scripts),
    ...calls.map(({ path }) => `           ${path}`),
  ].join("\n");
  process.stdout.write(`${figures}\n`);

  expect(scripts.length).toBeGreaterThan(0);
  expect(scripts.every(({ bytes }) => bytes > 0)).toBe(true);
  expect(kilobytes > FIRST_KB_MAX ? figures : "within the limit").toBe("within the limit");
  expect(failed).toEqual([]);
  expect(all().filter(({ status }) => status >= 400)).toEqual([]);
  const assets = all().filter(({ path }) => /^\/assets\/.*\.(js|css)$/.test(path));
  const plain = assets.filter(({ encoding }) => encoding !== "br");
  // Below a kilobyte compressing is not worth it; another kilobyte is for the headers.
  expect(plain.filter(({ bytes }) => bytes > 2048)).toEqual([]);
  expect(assets.length).toBeGreaterThan(plain.length);

  const sources = await Promise.all(scripts.map(async ({ path }) => (await fetch(server.url + path)).text()));
  const source = sources.join("\n");
  // The small library names its classes "ZodMini…", the full library "Zod…".
  expect(source).toMatch(/["'`]ZodMini(String|Object|Literal)["'`]/);
  expect(source).not.toMatch(/["'`]Zod(String|Object|Literal)["'`]/);
});

/** Every page of the console, with its heading. */
function furtherPages(): [path: string, name: string][] {
  const boat = `/hosts/${fleet.boats[0]!.id}`;
  return [
    [boat, "boat-01"],
    [`${boat}/config`, "boat-01"],
    [`${boat}/activity`, "boat-01"],
    [`${boat}/debug`, "boat-01"],
    [`${boat}/block`, "boat-01"],
    [`${boat}/delete`, "boat-01"],
    [`${boat}/edit`, "Edit boat-01"],
    [`${boat}/enroll`, "Enroll boat-01"],
    [`/hosts/${fleet.boats[1]!.id}/unblock`, "Unblock boat-02"],
    ["/hosts/add", "Add host"],
    ["/hosts/add-several", "Add several hosts"],
    ["/lighthouses", "Lighthouses · 1"],
    ["/lighthouses/add", "Add lighthouse"],
    ["/relays", "Relays · 1"],
    ["/routes", "Routes · 1"],
    ["/routes/add", "Add route"],
    [`/routes/${fleet.route.id}`, "Edit Canal"],
    ["/roles", "Roles · 3"],
    ["/roles/add", "Add role"],
    [`/roles/${fleet.ferry.id}`, "Edit Ferry"],
    ["/tags", "Tags · 3"],
    ["/tags/add", "Add tag"],
    ["/tags/reorder", "Reorder tags"],
    ["/tags/crew:night", "Edit crew:night"],
    ["/settings/networks", "Networks · 2"],
    ["/settings/networks/add", "Add network"],
    [`/settings/networks/${fleet.harbour.id}`, "Edit Harbour"],
    ["/get-started", "Set up your network"],
    ["/logs/audit", "Audit log"],
    ["/logs/audit/export", "Audit log"],
    ["/settings/user", "User settings"],
    ["/settings/user/totps/add", "User settings"],
    ["/settings/members", "Members · 1"],
    ["/settings/members/invite", "Members"],
    ["/settings/organization", "Organization"],
    ["/settings/organization/rename", "Organization"],
    ["/settings/organization/leave", "Organization"],
    ["/settings/organization/delete", "Organization"],
    ["/settings/api-keys", "API keys · 0"],
    ["/settings/api-keys/add", "Add API key"],
    ["/settings/sso", "Single sign-on"],
    ["/settings/sso/edit", "Edit single sign-on"],
    ["/settings/billing", "Billing"],
    ["/settings/billing/checkout", "Upgrade to Pro"],
    ["/signup/pro", "Upgrade to Pro"],
    ["/certificate-authorities", "Certificate Authorities · 2"],
    [`/certificate-authorities/${fleet.harbour.id}/rotate`, "Certificate Authorities"],
    ["/support/contact", "Contact us"],
    ["/downloads", "Downloads"],
  ];
}

const TABS = 4;

it(`loads at most ${FURTHER_KB_MAX} KB more for each further page, whichever page is opened first`, async () => {
  await account.call(blockHostV2, { params: { hostID: fleet.boats[1]!.id } });
  const { page, context } = await visit({ account });
  const scriptsFor = async (tab: Page, path: string, name: string) => {
    const { failed, takeNew } = await record(tab);
    await tab.goto(path);
    // A dialog hides the page behind it from lookups by role, and its own title may contain the same name.
    await tab.locator("h1").filter({ hasText: name }).first().waitFor();
    const scripts = scriptsOf(await takeNew());
    expect(failed, `failures of ${path}`).toEqual([]);
    return scripts;
  };
  const known = new Set((await scriptsFor(page, "/hosts", "Hosts · 25")).map(({ path }) => path));
  const figures: string[] = [];
  const tooMuch: string[] = [];
  const waiting = furtherPages();
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const tab = await context.newPage();
      const more = (await scriptsFor(tab, ...next)).filter(({ path }) => !known.has(path));
      await tab.close();
      figures.push(`${kilobytesOf(more).toFixed(1).padStart(7)} KB for ${next[0]}`);
      if (kilobytesOf(more) > FURTHER_KB_MAX) tooMuch.push(next[0], ...formatLoads(more));
    }
  }
  await Promise.all(Array.from({ length: TABS }, work));
  process.stdout.write(`${figures.join("\n")}\n`);
  expect(figures).toHaveLength(furtherPages().length);
  expect(tooMuch).toEqual([]);
});
