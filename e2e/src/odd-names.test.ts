/** Unusual names of hosts, roles, routes and tags: shown exactly, on any screen, without running code. */
import {
  createHostV2,
  createNetwork,
  createRole,
  createRoute,
  createTag,
  type HostV2,
  type Role,
  type Route,
} from "@lightkeeper/contract";
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { createAccount } from "./account.ts";
import { useBrowser } from "./browser.ts";
import { openPage } from "./open-page.ts";
import { expectNoOverlap, expectToFit } from "./screen-checks.ts";
import { button, expectText, field, heading, link, picker, rowOf } from "./steps.ts";

const visit = useBrowser();
const server = inject("server");

const WIDTHS = [1280, 320];
const SHORT_MAX = 50;
const names = {
  markup: `<img src=x onerror=alert(1)><script>alert(2)</script>`,
  rightToLeft: "سفينة الميناء الشرقي",
  emoji: "⚓️ 👩🏽‍🚒 Feuerwehr 🇮🇸",
  long: "Vaðlaheiðarvegavinnuverkfærageymsluskúrslyklakippuhringurinn".repeat(5).slice(0, 255),
};
const all = Object.values(names);
/** Names of roles and routes, and values of tags, have a lower limit. */
const short = (name: string) => name.slice(0, SHORT_MAX - 5).trim();
const tagOf = (name: string) => `odd:${short(name)}`;

let page: Page;
const alerts: string[] = [];
const hosts = new Map<string, HostV2>();
const roles = new Map<string, Role>();
const routes = new Map<string, Route>();
let networkID: string;

beforeAll(async () => {
  const account = await createAccount(server);
  const { call } = account;
  networkID = (await call(createNetwork, { body: { name: names.long } })).id;
  for (const name of all) await call(createTag, { body: { name: tagOf(name), description: name } });
  for (const name of all) {
    const rule = { protocol: "ICMP" as const, description: name, allowedTags: [tagOf(name)] };
    const role = await call(createRole, {
      body: { name: short(name), description: name, firewallRules: [rule] },
    });
    const host = await call(createHostV2, {
      body: { name, networkID, roleID: role.id, tags: all.map(tagOf) },
    });
    const route = await call(createRoute, {
      body: { name: short(name), description: name, routerHostID: host.id },
    });
    routes.set(name, route);
    roles.set(name, role);
    hosts.set(name, host);
  }
  ({ page } = await visit({ account }));
  page.on("dialog", (dialog) => {
    alerts.push(dialog.message());
    void dialog.dismiss();
  });
});

/** No code has run, no markup became an element, and nothing is wider than the screen. */
async function expectHarmless(what: string): Promise<void> {
  await expectToFit(page, what);
  await expectNoOverlap(page, what);
  expect(await page.locator("img[src=x]").count()).toBe(0);
  expect(alerts).toEqual([]);
}

/** Checks the page at both widths, without loading it again. */
async function expectHarmlessAtAllWidths(what: string, waitUntilShown: () => Promise<void>): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    await waitUntilShown();
    await expectHarmless(`${what} at ${width}`);
  }
}

describe("at every width, unusual names", () => {
  it.each([
    ["/hosts", (name: string) => name],
    ["/roles", short],
    ["/routes", short],
    ["/tags", tagOf],
    ["/tags/reorder", tagOf],
  ])("are listed exactly: %s", async (path, shown) => {
    await openPage(page, path);
    await expectHarmlessAtAllWidths(path, async () => {
      // A host's role, or a route's router, may have the same name.
      for (const name of all) await link(page, shown(name)).first().waitFor();
    });
  });

  it.each(Object.entries(names))("are on every page of a host: %s", async (_, name) => {
    const { id } = hosts.get(name)!;
    for (const part of ["", "/config", "/activity", "/debug", "/edit", "/enroll"]) {
      await openPage(page, `/hosts/${id}${part}`);
      await expectHarmlessAtAllWidths(`/hosts/{id}${part}`, () => heading(page, name).waitFor());
    }
    await link(page.getByRole("navigation", { name: "Breadcrumb" }), name).click();
    await heading(page, name).waitFor();
  });

  it.each(Object.entries(names))("are on the page of a route, a tag and a network: %s", async (_, name) => {
    for (const [path, title] of [
      [`/routes/${routes.get(name)!.id}`, `Edit ${short(name)}`],
      [`/tags/${encodeURIComponent(tagOf(name))}`, `Edit ${tagOf(name)}`],
      [`/settings/networks/${networkID}`, `Edit ${names.long}`],
    ] as const) {
      await openPage(page, path);
      await expectHarmlessAtAllWidths(title, () => heading(page, title).waitFor());
    }
  });
});

describe.each(WIDTHS)("at %i px, unusual names", (width) => {
  beforeEach(() => page.setViewportSize({ width, height: 800 }));

  it.each(Object.entries(names))("are in a dialog whose buttons can be reached: %s", async (_, name) => {
    await openPage(page, `/hosts/${hosts.get(name)!.id}/delete`);
    const dialog = page.getByRole("alertdialog", { name: `Delete host ${name}?` });
    await field(dialog, /^Type/).fill(name);
    await button(dialog, "Delete").scrollIntoViewIfNeeded();
    const box = (await button(dialog, "Delete").boundingBox())!;
    expect(box.x + box.width).toBeLessThanOrEqual(width);
    await button(dialog, "Delete").click();
    await link(dialog, short(name)).waitFor();
    await expectHarmless(`the dialog at ${width}`);
  });

  it.each(Object.entries(names))("are in forms, pickers and toasts: %s", async (_, name) => {
    await openPage(page, `/roles/${roles.get(name)!.id}`);
    await heading(page, `Edit ${short(name)}`).waitFor();
    await page.getByRole("button", { name: /^Allow ICMP/ }).click();
    await picker(page, "From role").fill(short(name).slice(0, 8));
    await page.getByRole("option", { name: short(name) }).waitFor();
    await expectHarmless(`the role at ${width}`);
    await page.keyboard.press("Escape");
    await button(page, "Save").click();
    await expectText(page, `Role ${short(name)} saved`);
    await expectHarmless(`the toast at ${width}`);
  });

  it.each(Object.entries(names))("are found by the palette: %s", async (_, name) => {
    await openPage(page, "/tags");
    await rowOf(page, tagOf(names.emoji)).waitFor();
    await page.keyboard.press("Control+k");
    await picker(page, "Search and commands").fill(short(name));
    const found = page.getByRole("option", { name }).first();
    await found.waitFor();
    // Results that arrive later move the results that are already shown.
    await page.locator('[aria-label="Results"][aria-busy="false"]').waitFor();
    await expectHarmless(`the palette at ${width}`);
    await found.click();
    await heading(page, name).waitFor();
    expect(await page.title()).toContain(name);
  });
});
