/** Devices enrolled by signing in, and removed members, in a browser. */
import {
  createNetwork,
  pollEndpointAuth,
  startEndpointAuth,
  updateOidcProvider,
  whoami,
} from "@lightkeeper/contract";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type ProviderPerson, startProvider, type TestProvider } from "@lightkeeper/server/testing";
import { type Account, clientFor, createAccount } from "./account.ts";
import { useBrowser } from "./browser.ts";
import { button, chooseInRowMenu, expectText, field, heading, link, PATIENT, rowOf } from "./steps.ts";

const visit = useBrowser();
const server = inject("server");
let provider: TestProvider;
let account: Account;
let organizationID: string;

beforeAll(async () => {
  provider = await startProvider({ appURL: server.url });
  account = await createAccount(server);
  const { call } = account;
  const network = await call(createNetwork, { body: { name: "Harbour" } });
  organizationID = (await call(whoami)).organization.id;
  const { issuerURL, clientID, clientSecret } = provider;
  await call(updateOidcProvider, {
    body: {
      issuerURL,
      clientID,
      clientSecret,
      allowedDomains: ["example.com"],
      defaultRole: "administrator",
      endpoint: { networkID: network.id, requiresApproval: true },
    },
  });
});
afterAll(() => provider.close());

/** Signs in with a new browser, without a session at the provider. */
async function signInAs(person: ProviderPerson): Promise<Page> {
  provider.person = person;
  const { page } = await visit();
  await page.goto(`/auth/login/${organizationID}`);
  return page;
}

describe("a device enrolled by signing in", () => {
  it("shows the same code as the page, waits for an administrator, and then enrolls", async () => {
    const device = clientFor(server.url);
    const { loginURL, pollToken, verificationCode } = await device(startEndpointAuth);
    const poll = () => device(pollEndpointAuth, { query: { pollToken } });

    provider.person = { sub: "ada", email: "ada@example.com", email_verified: true };
    const { page: ownerPage } = await visit();
    await ownerPage.goto(loginURL);
    await heading(ownerPage, "Sign in a device").waitFor();
    await expectText(ownerPage, verificationCode);
    await field(ownerPage, "Work email or organization ID").fill(organizationID);
    await button(ownerPage, "Continue with single sign-on").click();
    await ownerPage.getByText(/^Compare the codes and confirm that they match/).waitFor();
    const { page: adminPage } = await visit({ account });
    await adminPage.goto("/settings/sso");
    await expectText(adminPage, "No devices are waiting");
    await ownerPage.getByRole("checkbox", { name: "The code on my device is the same" }).check();
    await button(ownerPage, "Continue with single sign-on").click();
    await heading(ownerPage, "Waiting for approval").waitFor();
    expect(await poll()).toEqual({ state: "WAITING", enrollmentCode: "" });

    await expectText(adminPage, verificationCode);
    await adminPage.goto("/hosts");
    await expectText(adminPage, "1 device is waiting for approval.");
    await link(adminPage, "Review").click();
    await button(adminPage, "Approve the device of ada@example.com").click();
    await expectText(adminPage, "Device of ada@example.com approved");
    await expect.poll(async () => (await poll()).state, PATIENT).toBe("COMPLETED");
    await adminPage.goto("/hosts");
    await rowOf(adminPage, "ada-1").waitFor();
  });
});

describe("a removed member", () => {
  it("can't sign in until an owner readmits them", async () => {
    const { page: adminPage } = await visit({ account });
    const grace = { sub: "grace", email: "grace@example.com", email_verified: true };
    await heading(await signInAs(grace), "Hosts · 1").waitFor();
    await adminPage.goto("/settings/members");
    await chooseInRowMenu(adminPage, "grace@example.com", "Remove…");
    await button(adminPage, "Remove member").click();
    await expectText(adminPage, "grace@example.com removed");
    await expectText(adminPage, "Removed");
    const other = await signInAs(grace);
    await other
      .getByText(/this account was removed from the organization; ask an owner to readmit it/)
      .waitFor();
    await chooseInRowMenu(adminPage, "grace@example.com", "Readmit");
    await expectText(adminPage, "grace@example.com can sign in again");
    await heading(await signInAs(grace), "Hosts · 1").waitFor();
  });
});
