/** URLs without a session, before the second factor, and of pages that do not exist; Back, Forward and the menu. */
import { createNetwork, type Network } from "@lightkeeper/contract";
import type { Page, Request } from "playwright-core";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { type Account, codeFor, createAccount } from "./account.ts";
import { useBrowser, type Visitor } from "./browser.ts";
import {
  button,
  expectPath,
  expectTitle,
  enterCode,
  heading,
  link,
  rowOf,
  expectText,
  PATIENT,
} from "./steps.ts";

const visit = useBrowser();
const server = inject("server");
let account: Account;
let harbour: Network;
let member: Visitor;
let withoutSecondFactor: Visitor;
let signedOut: Visitor;

beforeAll(async () => {
  account = await createAccount(server);
  harbour = await account.call(createNetwork, { body: { name: "Harbour" } });
  member = await visit({ account });
  withoutSecondFactor = await visit({ account: { userToken: account.userToken } });
  signedOut = await visit();
});

/** Waits for a page at its URL, with its heading and title. */
async function expectPage(page: Page, path: string, name: string, title: string): Promise<void> {
  await heading(page, name).waitFor();
  await expectTitle(page, title);
  await expectPath(page, path);
}

const ORGANIZATION = `org-${"A".repeat(26)}`;
/** Opens a page by its URL and reloads it. */
async function expectPageTwice(page: Page, ...expected: [path: string, name: string, title: string]) {
  const answer = await page.goto(expected[0]);
  expect(answer?.status()).toBe(200);
  await expectPage(page, ...expected);
  await page.reload();
  await expectPage(page, ...expected);
}

const signedOutPages = [
  ["/auth/login", "Log in", "Auth: Log in"],
  [`/auth/login/${ORGANIZATION}`, "Single sign-on", "Auth: Single sign-on"],
  ["/auth/magic-link", "Log in", "Auth: Log in"],
  ["/signup", "Sign up", "Sign up"],
  ["/signup/anything/below", "Sign up", "Sign up"],
  ["/signup?plan=pro", "Sign up", "Sign up"],
  ["/deleted-account", "Your account was deleted", "Account deleted"],
] as const;

const signedInPages = [
  ["/settings/networks/", "Networks · 1", "Networks"],
  ["/get-started", "Set up your network", "Get started"],
  ["/no/such/page", "Nothing here (404)", "Nothing here"],
  ["/hosts/add/more", "Nothing here (404)", "Nothing here"],
  [`/settings/networks/add/more`, "Nothing here (404)", "Nothing here"],
] as const;

describe("a URL", () => {
  it.each(signedOutPages)(
    "opens without a session, and again after a reload: %s [S2.1] [S2.2] [S2.3] [S1.5]",
    (...expected) => expectPageTwice(signedOut.page, ...expected),
  );

  it.each(signedInPages)(
    "opens with a session, and again after a reload: %s [S2.5] [S2.20] [S2.23] [S1.5]",
    (...expected) => expectPageTwice(member.page, ...expected),
  );

  it.each(["network-nowhere", `network-${"A".repeat(26)}`])(
    "of a network that doesn't exist shows the 404 page: %s [S2.23] [S4.11]",
    async (id) => {
      const { page } = member;
      let requestCount = 0;
      const count = (request: Request) =>
        (requestCount += request.url().endsWith(`/v2/networks/${id}`) ? 1 : 0);
      page.on("request", count);
      await page.goto(`/settings/networks/${id}`);
      await expectPage(page, `/settings/networks/${id}`, "Nothing here (404)", "Nothing here");
      page.off("request", count);
      expect(requestCount).toBe(1);
    },
  );

  it.each([
    ["/", "/auth/login"],
    ["/settings/networks", "/auth/login"],
    ["/settings/networks/add?x=1", "/auth/login"],
    ["/get-started", "/auth/login"],
    ["/no/such/page", "/auth/login"],
    ["/signup/pro", "/signup?plan=pro"],
  ])("that requires a session redirects from %s to %s without a session [S4.1] [S4.2]", async (from, to) => {
    await signedOut.page.goto(from);
    await expectPath(signedOut.page, to);
  });

  it.each([
    ["/", "/hosts"],
    ["/auth/login", "/hosts"],
    ["/signup", "/hosts"],
    ["/auth/mfa", "/hosts"],
    ["/auth/mfa/register", "/hosts"],
  ])("of a login page redirects from %s to %s with a session [S2.6]", async (from, to) => {
    await member.page.goto(from);
    await expectPage(member.page, to, "Hosts · 0", "Hosts");
  });

  it.each(["/", "/settings/networks", "/auth/login", "/signup", "/auth/mfa/register", "/no/such/page"])(
    "redirects from %s to the second factor while it is missing [S4.2]",
    async (from) => {
      await withoutSecondFactor.page.goto(from);
      await expectPage(withoutSecondFactor.page, "/auth/mfa", "Second factor", "Auth: Second factor");
    },
  );

  it("of the renewal page asks for a code and then redirects [S2.3]", async () => {
    await member.page.goto("/auth/mfa/renew");
    await expectPage(member.page, "/auth/mfa/renew", "Confirm it’s you", "Auth: Confirm it’s you");
    await enterCode(member.page, codeFor(account.secret));
    await expectPath(member.page, "/hosts");
  });
});

const SIDEBAR = [
  "Hosts",
  "Lighthouses",
  "Relays",
  "Routes",
  "Roles",
  "Certificate Authorities",
  "Tags",
  "Logs",
];

describe("navigation", () => {
  it("works with Back and Forward, and focuses each page's heading", async () => {
    const { page } = await visit({ account });
    await page.goto("/settings/networks");
    await link(page, "Harbour").click();
    await heading(page, "Edit Harbour").waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    await expect.poll(focused, PATIENT).toBe("Edit Harbour");
    await page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link").click();
    await expectTitle(page, "Networks");
    await expect.poll(focused, PATIENT).toContain("Networks");
    await page.goBack();
    await expectTitle(page, "Edit Harbour");
    await page.goBack();
    await expectTitle(page, "Networks");
    await page.goForward();
    await expectTitle(page, "Edit Harbour");
    await page.reload();
    await heading(page, "Edit Harbour").waitFor();
  });

  it("has the skip link first, which moves the focus to the content [S2.24]", async () => {
    const { page } = member;
    await page.goto("/settings/networks");
    await rowOf(page, "Harbour").waitFor();
    await page.keyboard.press("Tab");
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    expect(await focused()).toBe("Go to main content");
    expect(await link(page, "Go to main content").isVisible()).toBe(true);
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("MAIN");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Add network");
  });

  it("labels the logo's link to the home page [S2.4]", async () => {
    for (const path of ["/auth/login", "/signup", "/signup/else"]) {
      await signedOut.page.goto(path);
      const out = link(signedOut.page, "Lightkeeper home");
      expect(await out.getAttribute("href")).toBe("https://lightkeeper.example");
      expect(await out.locator("svg").getAttribute("viewBox")).toBe("0 0 120 32");
      expect((await out.locator("svg").boundingBox())?.height).toBe(32);
    }
    for (const path of ["/auth/magic-link", "/deleted-account", `/auth/login/${ORGANIZATION}`]) {
      await signedOut.page.goto(path);
      expect(await link(signedOut.page, "Home").getAttribute("href")).toBe("/");
    }
    await member.page.goto("/get-started");
    await link(member.page, "Home").click();
    await expectPath(member.page, "/hosts");
    await expectText(member.page, "Local");
  });

  it("expands only the current page's group, and opens the documentation in a new tab [S2.27] [S2.28]", async () => {
    const { page } = member;
    await page.goto("/settings/networks");
    const groups = page.getByRole("navigation", { name: "Main" });
    const expanded = (name: string) => button(groups, name).getAttribute("aria-expanded");
    await expect.poll(() => expanded("Settings"), PATIENT).toBe("true");
    expect(await link(groups, "Networks").getAttribute("aria-current")).toBe("page");
    const pagesOf = (name: string) =>
      button(groups, name).locator("xpath=..").getByRole("list").getByRole("link").allInnerTexts();
    const specified = ["Billing", "Networks", "API keys", "Single sign-on"];
    expect(await pagesOf("Settings")).toEqual([...specified, "Members", "Organization"]);
    await button(groups, "Support").click();
    expect(await pagesOf("Support")).toEqual([
      expect.stringMatching(/^Documentation/),
      "Contact us",
      "Downloads",
    ]);
    expect([await expanded("Settings"), await expanded("Support")]).toEqual(["false", "true"]);
    const opened = page.waitForEvent("popup");
    await groups.getByRole("link", { name: "Documentation" }).click();
    const reference = await opened;
    await heading(reference, "Documentation").waitFor();
    await reference.close();
    await page.goto("/no/such/page");
    await heading(page, "Nothing here (404)").waitFor();
    expect([await expanded("Settings"), await expanded("Support")]).toEqual(["false", "false"]);
    await link(page, "Go to the start page").click();
    await expectPath(page, "/hosts");
  });

  it("lists the pages in order, and keeps the network of the last filter in its links [S2.25] [S2.26]", async () => {
    const { page } = await visit({ account });
    await page.goto("/hosts");
    const main = page.getByRole("navigation", { name: "Main" });
    await link(main, "Hosts").waitFor();
    const listed = () => main.getByRole("list").first().getByRole("link").allInnerTexts();
    await expect.poll(listed, PATIENT).toEqual(SIDEBAR);
    await page.goto(`/relays?filter.networkID=${harbour.id}`);
    await button(page, "Network: Harbour").waitFor();
    expect(await page.evaluate(() => sessionStorage.getItem("filterNetworkId"))).toBe(harbour.id);
    for (const name of ["Hosts", "Lighthouses", "Relays"]) {
      const address = new URL((await link(main, name).getAttribute("href")) ?? "", page.url());
      expect(address.searchParams.get("filter.networkID")).toBe(harbour.id);
    }
    expect(await link(main, "Roles").getAttribute("href")).toBe("/roles");
    await link(main, "Hosts").click();
    await button(page, "Remove filter Network: Harbour").click();
    await expect.poll(() => link(main, "Relays").getAttribute("href"), PATIENT).toBe("/relays");
  });
});
