/** Screens of login, networks, and the parts around every page. */
import { createNetwork, type Network } from "@lightkeeper/contract";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { type Account, codeFor, createUser, createAccount, newEmail } from "./account.ts";
import { takeProblems, useBrowser, type Visitor } from "./browser.ts";
import { openPage } from "./open-page.ts";
import { expectAccessibleScreen, WIDTHS } from "./screen-checks.ts";
import { atAddress, describeScreens, type Screen } from "./screens.ts";
import {
  requestLink,
  button,
  chooseInRowMenu,
  enterCode,
  field,
  heading,
  link,
  readManualKey,
  rowOf,
  expectText,
} from "./steps.ts";

const visit = useBrowser();
const server = inject("server");
let account: Account;
let harbour: Network;
let member: Visitor;
let withoutSecondFactor: Visitor;
let signedOut: Visitor;
let newcomer: Visitor;
let admiral: Visitor;

beforeAll(async () => {
  account = await createAccount(server);
  const description = "The machines at the eastern quay, and the office above them";
  harbour = await account.call(createNetwork, { body: { name: "Harbour", description } });
  await account.call(createNetwork, { body: { name: "Lagoon", lighthousesAsRelays: true } });
  member = await visit({ account });
  withoutSecondFactor = await visit({ account: { userToken: account.userToken } });
  signedOut = await visit();
  newcomer = await visit({ account: await createAccount(server) });
  const fleet = await createAccount(server);
  for (let index = 1; index <= 26; index++)
    await fleet.call(createNetwork, { body: { name: `Berth ${index}` } });
  admiral = await visit({ account: fleet });
});

async function onNetworks(): Promise<Page> {
  const { page } = member;
  await openPage(page, "/settings/networks");
  await rowOf(page, "Harbour").waitFor();
  return page;
}

const screens: Screen[] = [
  atAddress("login", () => signedOut, "/auth/login", "Log in"),
  {
    name: "login-sent",
    open: async () => {
      const { page } = signedOut;
      await page.goto("/auth/login");
      await requestLink(page, newEmail());
      return page;
    },
  },
  {
    name: "login-rejected",
    open: async () => {
      const { page } = signedOut;
      await page.goto("/auth/login");
      await button(page, "Single sign-on").click();
      await button(page, "Send link").click();
      await page.getByRole("alert").waitFor();
      return page;
    },
  },
  {
    name: "sso",
    open: async () => {
      await signedOut.page.goto(`/auth/login/org-${"A".repeat(26)}`);
      await expectText(signedOut.page, "Single Sign-On is not configured.");
      return signedOut.page;
    },
  },
  atAddress("magic-link", () => signedOut, "/auth/magic-link?magicLinkToken=abc", "Log in"),
  atAddress("magic-link-missing", () => signedOut, "/auth/magic-link", "Log in"),
  atAddress("signup", () => signedOut, "/signup?plan=pro", "Sign up"),
  atAddress("left-organization", () => signedOut, "/left-organization", "You left the organization"),
  atAddress("deleted-account", () => signedOut, "/deleted-account", "Your account was deleted"),
  atAddress("mfa", () => withoutSecondFactor, "/auth/mfa", "Second factor"),
  {
    name: "mfa-register",
    open: async () => {
      const { page } = await visit({ account: await createUser(server) });
      await page.goto("/auth/mfa/register");
      await page.getByRole("img", { name: "QR code for your authenticator app" }).waitFor();
      await readManualKey(page);
      return page;
    },
  },
  {
    name: "mfa-recovery-codes",
    open: async () => {
      const { page } = await visit({ account: await createUser(server) });
      await page.goto("/auth/mfa/register");
      await enterCode(page, codeFor(await readManualKey(page)));
      await button(page, "I’ve saved them").waitFor();
      return page;
    },
  },
  {
    name: "mfa-recovery-code",
    open: async () => {
      const { page } = withoutSecondFactor;
      await page.goto("/auth/mfa");
      await button(page, "Use a recovery code").click();
      await button(page, "Log in").click();
      await expectText(page, "Enter the whole code.");
      return page;
    },
  },
  atAddress("mfa-renew", () => member, "/auth/mfa/renew", "Confirm it’s you"),
  atAddress("get-started", () => newcomer, "/get-started", "Create your first network"),
  atAddress("networks-empty", () => newcomer, "/settings/networks", "Networks · 0"),
  atAddress("get-started-next", () => member, "/get-started", "Set up your network"),
  atAddress("networks", () => member, "/settings/networks", "Networks · 2"),
  atAddress("networks-pages", () => admiral, "/settings/networks", "Networks · 26"),
  atAddress("network-add", () => member, "/settings/networks/add", "Add network"),
  atAddress(
    "network-edit",
    () => member,
    () => `/settings/networks/${harbour.id}`,
    "Edit Harbour",
  ),
  {
    name: "not-found",
    open: async () => {
      await member.page.goto("/no/such/page");
      await heading(member.page, "Nothing here (404)").waitFor();
      return member.page;
    },
  },
  atAddress("mailbox", () => signedOut, "/dev/mail", "Local mailbox"),
  {
    name: "network-rejected",
    open: async () => {
      const { page } = member;
      await openPage(page, "/settings/networks/add");
      await field(page, "Name").fill("Harbour");
      await field(page, /^CIDR/).fill("8.8.8.0/24");
      await button(page, "Add network").click();
      await page.getByRole("alert").first().waitFor();
      return page;
    },
  },
  {
    name: "network-leave",
    open: async () => {
      const { page } = member;
      await openPage(page, "/settings/networks/add");
      await field(page, "Name").fill("Half a thought");
      await link(page, "Cancel").click();
      await page.getByRole("alertdialog").waitFor();
      return page;
    },
  },
  {
    name: "network-delete",
    open: async () => {
      const page = await onNetworks();
      await chooseInRowMenu(page, "Harbour", "Delete…");
      await page.getByRole("alertdialog").waitFor();
      return page;
    },
  },
  {
    name: "account-menu",
    widths: [1280],
    open: async () => {
      const page = await onNetworks();
      await button(page, "Your Account").click();
      await page.getByRole("menuitem", { name: "Logout" }).waitFor();
      return page;
    },
  },
  {
    name: "menu",
    widths: WIDTHS.filter((width) => width <= 915),
    open: async () => {
      const page = await onNetworks();
      await page.setViewportSize({ width: 915, height: 800 });
      await button(page, "Menu").click();
      await page.getByRole("dialog", { name: "Menu" }).waitFor();
      return page;
    },
  },
  {
    name: "row-menu",
    open: async () => {
      const page = await onNetworks();
      await button(page, "Actions for Harbour").click();
      await page.getByRole("menuitem", { name: "Edit" }).waitFor();
      return page;
    },
  },
  {
    name: "shortcuts",
    open: async () => {
      const page = await onNetworks();
      await page.keyboard.press("?");
      await page.getByRole("dialog").waitFor();
      return page;
    },
  },
];

describeScreens(screens);

describe("after a failure, the page fits the screen and is accessible:", () => {
  it("while the server can't be reached", async () => {
    const visitor = await visit({ account });
    const { page, context } = visitor;
    await page.goto(`/settings/networks/${harbour.id}`);
    await link(page.getByRole("navigation", { name: "Breadcrumb" }), "Networks").click();
    await rowOf(page, "Lagoon").waitFor();
    await context.setOffline(true);
    await link(page, "Lagoon").click();
    await page.getByText(/^Can’t reach Lightkeeper\./).waitFor();
    await page.getByRole("button", { name: "Try again" }).waitFor();
    await expectAccessibleScreen(page, "outage");
    await page.close();
    expect(takeProblems(visitor, /ERR_INTERNET_DISCONNECTED/).length).toBeGreaterThan(0);
  });

  it("when code can't be loaded, and when there is a new version", async () => {
    const visitor = await visit({ account });
    const { page } = visitor;
    await page.clock.install();
    let version = "1.0.0";
    await page.route("**/v", (route) => route.fulfill({ contentType: "text/plain", body: version }));
    await page.route("**/assets/network-add-page-*.js", (route) => route.abort());
    await page.goto("/settings/networks/add");
    await page.getByText("Error details").click();
    version = "1.0.1";
    await page.clock.fastForward(601_000);
    await page.getByText("A new version of Lightkeeper is available.").waitFor();
    await page.clock.resume();
    await expectAccessibleScreen(page, "error");
    takeProblems(visitor, /ERR_FAILED|dynamically imported module|Matched leaf route/);
  });
});
