/** Single sign-on with a real identity provider, from its setup to an outage. */
import {
  createNetwork,
  deleteOidcProvider,
  listSessions,
  listTotpAuthenticators,
  startCheckout,
  whoami,
} from "@lightkeeper/contract";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type ProviderPerson, startProvider, type TestProvider } from "@lightkeeper/server/testing";
import { type Account, clientFor, codeFor, createAccount } from "./account.ts";
import { useBrowser } from "./browser.ts";
import { linksFor, waitForLink } from "./mailbox.ts";
import {
  requestLink,
  button,
  expectPath,
  expectText,
  expectTitle,
  field,
  enterCode,
  heading,
  link,
  logOut,
  openLink,
  PATIENT,
  rowOf,
} from "./steps.ts";
import { describeStory } from "./story.ts";

const visit = useBrowser();
const server = inject("server");
let provider: TestProvider;
let account: Account;
let signOnPath: string;
let page: Page;

beforeAll(async () => {
  provider = await startProvider({ appURL: server.url });
  account = await createAccount(server);
  await account.call(createNetwork, { body: { name: "Harbour" } });
  const { organization } = await account.call(whoami);
  signOnPath = `/auth/login/${organization.id}`;
  ({ page } = await visit({ account }));
});
afterAll(() => provider.close());

/** Signs in with a new browser, without a session at the provider. */
async function signInAs(person: ProviderPerson): Promise<Page> {
  provider.person = person;
  const { page: tab } = await visit();
  await tab.goto(signOnPath);
  return tab;
}

async function fillIn(allowedDomain: string): Promise<void> {
  await field(page, "Issuer URL").fill(provider.issuerURL);
  await field(page, "Client ID").fill(provider.clientID);
  await page.getByLabel("Client secret").fill(provider.clientSecret);
  await field(page, "Domains 1").fill(allowedDomain);
  await page.getByRole("radio", { name: "Administrator" }).check();
  await field(page, "Auditor claim: name").fill("groups");
  await field(page, "Auditor claim: value").fill("auditors");
}

describeStory("the story of single sign-on", () => {
  describe("setting up single sign-on", () => {
    it("shows the provider's metadata before anything is saved [S2.22]", async () => {
      await page.goto("/settings/sso");
      await expectTitle(page, "Single sign-on");
      await expectText(page, server.url + signOnPath);
      await link(page, "Set up single sign-on").click();
      await expectPath(page, "/settings/sso/edit");
      await expectTitle(page, "Edit single sign-on");
      await fillIn("example.com");
      await button(page, "Test connection").click();
      const found = `Connected to ${provider.issuerURL}. People sign in at ${provider.issuerURL}/auth.`;
      await expectText(page, found);
    });

    it("tests a sign-in in a new tab without starting a session", async () => {
      const opened = page.context().waitForEvent("page");
      await button(page, "Test sign-in").click();
      const testTab = await opened;
      await heading(testTab, "Test sign-in").waitFor();
      await testTab.getByText(/^ada@example\.com can sign in with the role administrator\..*email/).waitFor();
      await expectText(testTab, "Close this tab to go back to the settings.");
      await testTab.close();
      await expectText(page, "ada@example.com can sign in with the role Administrator.");
      expect((await page.context().cookies()).map(({ name }) => name)).not.toContain("oidtoken");
    });

    it("offers to trust the provider when a test sign-in finds no email_verified", async () => {
      const confirmed = provider.person;
      provider.person = { sub: "unconfirmed", email: "unconfirmed@example.com" };
      await page.context().clearCookies({ domain: "127.0.0.1" });
      await button(page, "Test connection").click();
      const opened = page.context().waitForEvent("page");
      await button(page, "Test sign-in").click();
      const testTab = await opened;
      await testTab.getByText(/^unconfirmed@example\.com can’t sign in: .*email_verified/).waitFor();
      await testTab.close();
      await button(page, "Trust its email addresses").click();
      const trust = page.getByRole("checkbox", { name: /trust its email addresses/ });
      expect(await trust.isChecked()).toBe(true);
      await trust.uncheck();
      provider.person = confirmed;
      await page.context().clearCookies({ domain: "127.0.0.1" });
    });

    it("saves the provider, whose secret can't be read again", async () => {
      await button(page, "Save").click();
      await expectText(page, "Single sign-on saved");
      await expectPath(page, "/settings/sso");
      await expectText(page, provider.issuerURL);
      await link(page, "Edit").click();
      await heading(page, "Edit single sign-on").waitFor();
      expect(await page.getByLabel("Client secret").inputValue()).toBe("");
      await logOut(page);
    });
  });

  describe("single sign-on", () => {
    it("starts immediately, and redirects through the provider to the console [S4.6] [S7.8] [S7.9]", async () => {
      await page.goto(signOnPath);
      await heading(page, "Hosts · 0").waitFor();
      await expectPath(page, "/hosts");
      const cookies = await page.context().cookies(server.url);
      expect(cookies.filter(({ name }) => name.endsWith("token")).map(({ name }) => name)).toEqual([
        "oidtoken",
      ]);
      await button(page, "Your Account").click();
      await expectText(page.getByRole("menu"), "ada@example.com");
      expect(await page.getByRole("menuitem").allInnerTexts()).toEqual(["Logout"]);
      await page.keyboard.press("Escape");
    });

    it("signs in an administrator, who can make changes", async () => {
      await page.goto("/settings/networks/add");
      await field(page, "Name").fill("Lagoon");
      await button(page, "Add network").click();
      await rowOf(page, "Lagoon").waitFor();
      await page.goto("/logs/audit");
      await expectText(page, "ada@example.com added network Lagoon");
    });

    it.each([
      ["/settings/sso/edit", "/settings/sso", "Single sign-on"],
      ["/settings/billing/checkout", "/settings/billing", "Billing"],
      ["/settings/billing/upgrade-pending", "/settings/billing", "Billing"],
      ["/settings/billing/downgrade", "/settings/billing", "Billing"],
      ["/settings/organization/delete", "/settings/organization", "Organization"],
      ["/settings/billing/delete-organization", "/settings/organization", "Organization"],
      ["/signup/pro", "/settings/billing", "Billing"],
      ["/settings/user", "/settings/user", "Nothing here (404)"],
      ["/settings/user/totps/add", "/settings/user/totps/add", "Nothing here (404)"],
      ["/settings/user/members/invite", "/settings/user/members/invite", "Nothing here (404)"],
    ])(
      "doesn't give access to %s: the console shows %s [S2.18] [S2.19] [S2.22] [S6.1]",
      async (path, to, name) => {
        await page.goto(path);
        await heading(page, name).waitFor();
        await expectPath(page, to);
        for (const owners of ["Edit", "Upgrade to Pro", "Delete organization…"])
          expect(await link(page, owners).count()).toBe(0);
      },
    );

    it("gives read access to the members and the organization", async () => {
      await page.goto("/settings/members");
      await heading(page, "Members · 2").waitFor();
      await page.getByText(/Only owners can invite people/).waitFor();
      const row = page.getByRole("row").filter({ hasText: "ada@example.com" });
      await row.getByText("Active (single sign-on)").waitFor();
      expect(await link(page, "Invite member").count()).toBe(0);
      await page.goto("/settings/organization");
      await page.getByText(/Only owners can delete the organization/).waitFor();
      await link(page, "Leave organization…").waitFor();
    });

    it("doesn't give access to the API calls of these pages [S6.1]", async () => {
      const cookies = await page.context().cookies(server.url);
      const call = clientFor(server.url, cookies.find(({ name }) => name === "oidtoken")!.value);
      expect((await call(whoami)).actor).toMatchObject({ type: "oidcUser", email: "ada@example.com" });
      await expect(call(deleteOidcProvider)).rejects.toThrow("Forbidden");
      await expect(call(startCheckout)).rejects.toThrow("Forbidden");
      await expect(call(listTotpAuthenticators)).rejects.toThrow("Forbidden");
      await expect(call(listSessions)).rejects.toThrow("Forbidden");
    });

    it("returns to the requested page, without asking for the login method", async () => {
      await page.context().clearCookies({ name: "oidtoken" });
      await page.goto("/settings/networks?sort=-name");
      await rowOf(page, "Lagoon").waitFor();
      await expectPath(page, "/settings/networks?sort=-name");
    });

    it("doesn't start again right after a logout [S4.2] [S4.12]", async () => {
      await logOut(page);
      await page.goto("/hosts");
      await expectPath(page, "/auth/login");
    });
  });

  describe("an auditor, by the provider's claim,", () => {
    it("can read every list, and sees no button that writes", async () => {
      const auditor = await signInAs({
        sub: "grace",
        email: "grace@example.com",
        email_verified: true,
        groups: ["auditors"],
      });
      await heading(auditor, "Hosts · 0").waitFor();
      for (const path of ["/hosts", "/roles", "/tags", "/settings/networks", "/settings/api-keys"]) {
        await auditor.goto(path);
        await heading(auditor, / · \d/).waitFor();
        const offers = () => auditor.getByRole("link", { name: /^Add / }).count();
        await expect.poll(offers, { ...PATIENT, message: `offers to add on ${path}` }).toBe(0);
      }
      await auditor.goto("/settings/networks");
      await rowOf(auditor, "Harbour").waitFor();
      await auditor.goto("/settings/networks/add");
      await heading(auditor, "Read-only access").waitFor();
    });
  });

  describe("a rejected sign-in", () => {
    it("shows that the domain isn't allowed, and can be retried [S4.6]", async () => {
      const other = await signInAs({ sub: "eve", email: "eve@elsewhere.example", email_verified: true });
      await expectText(
        other,
        "You can’t sign in here: email addresses at elsewhere.example can’t sign in to this organization.",
      );
      await expectTitle(other, "Auth: Single sign-on");
      expect(await link(other, "Try again").getAttribute("href")).toBe(signOnPath);
      await link(other, "Back to login").click();
      await expectPath(other, "/auth/login");
      expect(await other.context().cookies(server.url)).toEqual([]);
    });

    it("shows which claims the provider left out [S8.12]", async () => {
      const other = await signInAs({ sub: "nobody" });
      await expectText(
        other,
        "Your identity provider left out required claims: email. Please contact your administrator.",
      );
    });

    it("shows an error if the sign-in wasn't started in this browser [S8.6]", async () => {
      const { page: other } = await visit();
      await other.goto("/auth/oidc-callback?code=x&state=y");
      await expectText(other, "Could not find oidc state code in storage.");
    });
  });

  describe("an unavailable provider", () => {
    it("is reported, and the owner can still log in by magic link [S8.13]", async () => {
      await provider.close();
      await page.goto(signOnPath);
      await expectText(page, "OIDC Provider is not responding. Please try again in a few minutes");
      await link(page, "Back to login").click();
      const before = linksFor(server.dataDir, account.email).length;
      await requestLink(page, account.email);
      await openLink(page, await waitForLink(server.dataDir, account.email, { after: before }));
      await heading(page, "Second factor").waitFor();
      await enterCode(page, codeFor(account.secret));
      await heading(page, "Hosts · 0").waitFor();
      await page.goto("/settings/sso/edit");
      await heading(page, "Edit single sign-on").waitFor();
      await button(page, "Test connection").click();
      await page.getByText(/^Can’t connect to the provider: 127\.0\.0\.1 could not be reached/).waitFor();
    });
  });
});
