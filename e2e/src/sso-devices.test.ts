/** Devices that people enroll by signing in, and people who were removed, in a browser. */
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

/** Signs in with a browser in which the provider knows nobody yet. */
async function comeAs(person: ProviderPerson): Promise<Page> {
  provider.person = person;
  const { page } = await visit();
  await page.goto(`/auth/login/${organizationID}`);
  return page;
}

describe("a device that its owner signs in for", () => {
  it("shows the same code as the page, waits for an administrator, and then enrolls", async () => {
    const device = clientFor(server.url);
    const { loginURL, pollToken, verificationCode } = await device(startEndpointAuth);
    const poll = () => device(pollEndpointAuth, { query: { pollToken } });

    provider.person = { sub: "ada", email: "ada@example.com", email_verified: true };
    const { page: own } = await visit();
    await own.goto(loginURL);
    await heading(own, "Sign in a device").waitFor();
    await expectText(own, verificationCode);
    await field(own, "Work email or organization ID").fill(organizationID);
    await button(own, "Continue with single sign-on").click();
    await own.getByText(/^Compare the codes and confirm that they match/).waitFor();
    const { page: office } = await visit({ account });
    await office.goto("/settings/sso");
    await expectText(office, "No devices are waiting");
    await own.getByRole("checkbox", { name: "The code on my device is the same" }).check();
    await button(own, "Continue with single sign-on").click();
    await heading(own, "Waiting for approval").waitFor();
    expect(await poll()).toEqual({ state: "WAITING", enrollmentCode: "" });

    await expectText(office, verificationCode);
    await office.goto("/hosts");
    await expectText(office, "1 device is waiting for approval.");
    await link(office, "Review").click();
    await button(office, "Approve the device of ada@example.com").click();
    await expectText(office, "Device of ada@example.com approved");
    await expect.poll(async () => (await poll()).state, PATIENT).toBe("COMPLETED");
    await office.goto("/hosts");
    await rowOf(office, "ada-1").waitFor();
  });
});

describe("a removed member", () => {
  it("stays out until the owner readmits them", async () => {
    const { page: office } = await visit({ account });
    const grace = { sub: "grace", email: "grace@example.com", email_verified: true };
    await heading(await comeAs(grace), "Hosts · 1").waitFor();
    await office.goto("/settings/members");
    await chooseInRowMenu(office, "grace@example.com", "Remove…");
    await button(office, "Remove member").click();
    await expectText(office, "grace@example.com removed");
    await expectText(office, "Removed");
    const other = await comeAs(grace);
    await other
      .getByText(/this account was removed from the organization; ask an owner to readmit it/)
      .waitFor();
    await chooseInRowMenu(office, "grace@example.com", "Readmit");
    await expectText(office, "grace@example.com can sign in again");
    await heading(await comeAs(grace), "Hosts · 1").waitFor();
  });
});
