/** Administration of an organization: members, API keys, the audit log, a CA, the plan, and its deletion. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { createNetwork, inviteMember, whoami } from "@lightkeeper/contract";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { type Account, clientFor, codeFor, createAccount, newEmail } from "./account.ts";
import { useBrowser } from "./browser.ts";
import { waitForInvitation, waitForLink } from "./mailbox.ts";
import {
  button,
  expectPath,
  expectText,
  expectTitle,
  field,
  finishSetup,
  heading,
  link,
  openLink,
  PATIENT,
  readManualKey,
  rowOf,
} from "./steps.ts";
import { describeStory } from "./story.ts";

const visit = useBrowser();
const server = inject("server");
const colleague = newEmail();
let account: Account;
let page: Page;

async function createOrganization(): Promise<{ account: Account; page: Page }> {
  const owner = await createAccount(server);
  await owner.call(createNetwork, { body: { name: "Harbour" } });
  return { account: owner, page: (await visit({ account: owner })).page };
}

beforeAll(async () => {
  ({ account, page } = await createOrganization());
});

const member = (email: string) =>
  page.getByRole("table", { name: "Members" }).getByRole("row").filter({ hasText: email });

describeStory("a colleague", () => {
  it("is invited by email, with a role [S2.18]", async () => {
    await page.goto("/settings/members");
    await expectTitle(page, "Members");
    await link(page, "Invite member").click();
    const dialog = page.getByRole("dialog", { name: "Invite member" });
    await expectPath(page, "/settings/members/invite");
    await field(dialog, "Email address").fill(colleague);
    expect(await dialog.getByRole("radio", { name: "Administrator" }).isChecked()).toBe(true);
    await button(dialog, "Send invitation").click();
    await expectText(page, `Invitation sent to ${colleague}`);
    await member(colleague).getByText("Invited").waitFor();
  });

  it("opens the invitation email, accepts on a page with all details, and joins the organization", async () => {
    const { page: theirs } = await visit();
    await theirs.goto(await waitForInvitation(server.dataDir, colleague));
    expect(await field(theirs, "Email address").inputValue()).toBe(colleague);
    await button(theirs, "Send link").click();
    await heading(theirs, "Check your email").waitFor();
    await openLink(theirs, await waitForLink(server.dataDir, colleague));
    await heading(theirs, "Join example.com").waitFor();
    await expectTitle(theirs, "Auth: Invitation");
    for (const fact of [account.email, "Administrator", colleague])
      await theirs.getByText(fact).first().waitFor();
    expect(await member(colleague).innerText()).toMatch(/Invited/);
    await button(theirs, "Accept invitation").click();
    await heading(theirs, "Set up your authenticator").waitFor();
    await finishSetup(theirs, codeFor(await readManualKey(theirs)));
    await heading(theirs, "Hosts · 0").waitFor();
    await theirs.goto("/settings/networks");
    await rowOf(theirs, "Harbour").waitFor();
    await theirs.goto("/settings/members");
    await theirs.getByText(/Only owners can invite people/).waitFor();
    expect(await link(theirs, "Invite member").count()).toBe(0);
    await expect.poll(() => member(colleague).innerText(), PATIENT).toMatch(/Administrator[^]*Active/);
  });

  it("appears in the audit log, in sentences [S2.15]", async () => {
    await page.goto("/logs");
    await expectPath(page, "/logs/audit/");
    await expectTitle(page, "Audit log");
    const sentences = () =>
      page.getByRole("listitem").filter({ hasText: colleague }).getByRole("paragraph").allInnerTexts();
    await expect
      .poll(sentences, PATIENT)
      .toEqual(
        expect.arrayContaining([
          `${account.email} invited ${colleague} as administrator`,
          `${colleague} joined as administrator`,
          `${colleague} logged in by magic link`,
        ]),
      );
  });

  it("can decline an invitation, and doesn't become a member", async () => {
    const declining = newEmail();
    await account.call(inviteMember, { body: { email: declining, role: "owner" } });
    const { page: theirs } = await visit();
    await theirs.goto(await waitForInvitation(server.dataDir, declining));
    await button(theirs, "Send link").click();
    await openLink(theirs, await waitForLink(server.dataDir, declining));
    await button(theirs, "Decline").click();
    await button(theirs, "Decline invitation").click();
    await heading(theirs, "Invitation declined").waitFor();
    await page.goto("/logs/audit");
    await expectText(page, `${declining} declined the invitation`);
  });

  it("can leave the organization, which revokes their API key and all their sessions", async () => {
    const leaving = newEmail();
    await account.call(inviteMember, { body: { email: leaving, role: "administrator" } });
    const { page: theirs } = await visit();
    await theirs.goto(await waitForInvitation(server.dataDir, leaving));
    await button(theirs, "Send link").click();
    await openLink(theirs, await waitForLink(server.dataDir, leaving));
    await button(theirs, "Accept invitation").click();
    await heading(theirs, "Set up your authenticator").waitFor();
    await finishSetup(theirs, codeFor(await readManualKey(theirs)));
    await heading(theirs, "Hosts · 0").waitFor();
    await theirs.goto("/settings/api-keys/add");
    await field(theirs, "Name").fill("Leaving");
    await button(theirs, "Read only").click();
    await button(theirs, "Add API key").click();
    await heading(theirs, "API key Leaving created").waitFor();
    const token = /lkkey-\S+-[A-Z2-7]+/.exec(await theirs.getByText(/^curl -H/).innerText())![0];
    await button(theirs, "I’ve saved it").click();
    await theirs.goto("/settings/organization/leave");
    const dialog = theirs.getByRole("alertdialog", { name: "Leave example.com?" });
    await dialog.getByRole("listitem").filter({ hasText: "Leaving" }).waitFor();
    expect(await dialog.getByRole("checkbox", { name: "Revoke these API keys" }).isChecked()).toBe(true);
    await button(dialog, "Leave organization").click();
    await heading(theirs, "You left the organization").waitFor();
    await expectPath(theirs, "/left-organization");
    await expect.poll(() => theirs.context().cookies(), PATIENT).toEqual([]);
    await expect(clientFor(server.url, token)(whoami)).rejects.toThrow("Not logged in");
    await page.goto("/settings/members");
    await expect.poll(() => member(leaving).count(), PATIENT).toBe(0);
  });
});

/** Runs a command exactly as the page shows it, and returns the response's status and body. */
async function runCommand(command: string): Promise<{ status: number; body: string }> {
  const { stdout } = await promisify(execFile)("sh", ["-c", `${command} -s -w '\\n%{http_code}'`]);
  const at = stdout.lastIndexOf("\n");
  return { status: Number(stdout.slice(at + 1)), body: stdout.slice(0, at) };
}

describeStory("an API key", () => {
  let page: Page;
  const calls: string[] = [];
  const shownCall = () => page.getByText(/^curl -H "Authorization: Bearer lkkey-/).innerText();
  const statuses = () => Promise.all(calls.map(async (call) => (await runCommand(call)).status));

  beforeAll(async () => {
    ({ page } = await createOrganization());
  });

  it("is shown once, with an example call that works [S2.21]", async () => {
    await page.goto("/settings/api-keys");
    await link(page, "Add API key").first().click();
    await expectTitle(page, "Add API key");
    await field(page, "Name").fill("Terraform");
    await button(page, "Read only").click();
    await button(page, "Add API key").click();
    await heading(page, "API key Terraform created").waitFor();
    calls.push(await shownCall());
    const { status, body } = await runCommand(calls[0]!);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ data: [] });
    await button(page, "I’ve saved it").click();
    await heading(page, "API keys · 1").waitFor();
    expect(await page.getByText(/lkkey-\w+-\w+/).count()).toBe(0);
  });

  it("is rotated with an overlap, in which both tokens work [S2.21]", async () => {
    await link(page, "Terraform").click();
    await expectTitle(page, "Edit Terraform");
    await link(page, "Rotate…").click();
    const dialog = page.getByRole("dialog", { name: "Rotate Terraform" });
    await dialog.getByLabel("Old token expires").selectOption({ label: "After 1 hour" });
    await button(dialog, "Rotate").click();
    await page.getByRole("alertdialog", { name: "New token for Terraform" }).waitFor();
    calls.push(await shownCall());
    expect(calls[1]).not.toBe(calls[0]);
    expect(await statuses()).toEqual([200, 200]);
    await button(page, "I’ve saved it").click();
    await page.getByText(/^Works until/).waitFor();
  });

  it("is rejected as soon as it is deleted", async () => {
    await link(page, "Delete API key…").click();
    const dialog = page.getByRole("alertdialog", { name: "Delete API key Terraform?" });
    await button(dialog, "Delete API key").click();
    await expectText(page, "API key Terraform deleted");
    await heading(page, "API keys · 0").waitFor();
    expect(await statuses()).toEqual([401, 401]);
  });

  it("is in the audit log, which is exported from a dialog, with its filters, as a download [S2.15] [S3.7] [S7.26]", async () => {
    await page.goto("/logs/audit/export");
    const dialog = page.getByRole("dialog", { name: "Export audit log" });
    await dialog.getByLabel("Type").selectOption({ label: "API keys" });
    await dialog.getByLabel("Time").selectOption({ label: "Last 24 hours" });
    const started = page.waitForEvent("download");
    await button(dialog, "Export").click();
    const download = await started;
    expect(download.suggestedFilename()).toMatch(/\.csv$/);
    const [header, ...rows] = (await readFile(await download.path(), "utf8")).trim().split(/\r?\n/);
    expect(header).toBe("timestamp,id,actorType,actor,action,targetType,targetID,before,after");
    expect(rows).toHaveLength(3);
    for (const row of rows) expect(row).toMatch(/apiKey,lkkey-/);
    await dialog.waitFor({ state: "detached" });
    await expectPath(page, "/logs/audit");
  });
});

describe("a certificate authority", () => {
  it("is rotated only after the network's name is typed [S2.14]", async () => {
    await page.goto("/certificate-authorities");
    await heading(page, "Certificate Authorities · 1").waitFor();
    await page.getByRole("button", { name: /^Actions for / }).click();
    await page.getByRole("menuitem", { name: "Rotate…" }).click();
    const dialog = page.getByRole("alertdialog", { name: "Rotate the CA of Harbour?" });
    expect(await button(dialog, "Rotate").isEnabled()).toBe(false);
    await field(dialog, "Type Harbour to confirm").fill("Harbor");
    expect(await button(dialog, "Rotate").isEnabled()).toBe(false);
    await field(dialog, "Type Harbour to confirm").fill("Harbour");
    await button(dialog, "Rotate").click();
    await expectText(page, "Rotating the CA of Harbour");
    await heading(page, "Certificate Authorities · 2").waitFor();
  });
});

describeStory("the plan", () => {
  it("is upgraded, and the console confirms it [S2.19]", async () => {
    await page.goto("/settings/billing");
    await expectTitle(page, "Billing");
    await link(page, "Upgrade to Pro").click();
    await expectTitle(page, "Upgrade to Pro");
    await button(page, "Upgrade now").click();
    const dialog = page.getByRole("dialog", { name: "You’re on Pro" });
    await dialog.waitFor();
    await expectPath(page, "/settings/billing/upgrade-success");
    await page.keyboard.press("Escape");
    await expectPath(page, "/settings/billing");
    await page.getByRole("heading", { name: "Pro plan" }).waitFor();
  });

  it("must be downgraded before the organization can be deleted [S8.15]", async () => {
    await page.goto("/settings/organization");
    await link(page, "Delete organization…").click();
    const dialog = page.getByRole("alertdialog", { name: "Delete example.com?" });
    await field(dialog, "Type example.com to confirm").fill("example.com");
    await button(dialog, "Delete organization").click();
    await expectText(dialog, "Please downgrade to the Free plan before deleting your account.");
    await button(dialog, "Cancel").click();
  });

  it("is downgraded after the dialog shows the consequences", async () => {
    await page.goto("/settings/billing");
    await link(page, "Downgrade to Free…").click();
    const dialog = page.getByRole("alertdialog", { name: "Downgrade to Free?" });
    await dialog.getByText(/^Pro ends immediately\./).waitFor();
    await button(dialog, "Downgrade").click();
    await expectText(page, "You’re on the Free plan");
    await page.getByRole("heading", { name: "Free plan" }).waitFor();
  });
});

describeStory("the organization", () => {
  let owner: Account;
  let page: Page;

  beforeAll(async () => {
    ({ account: owner, page } = await createOrganization());
  });

  it("gets a new name, which another member's console shows without a reload", async () => {
    const { page: other } = await visit({ account: owner });
    await other.goto("/settings/organization");
    await expectTitle(other, "Organization");
    await page.goto("/settings/organization/rename");
    const dialog = page.getByRole("dialog", { name: "Rename organization" });
    await field(dialog, "Name").fill("Harbor Office");
    await button(dialog, "Rename").click();
    await expectText(page, "Organization renamed to Harbor Office");
    await expectPath(page, "/settings/organization");
    await other.getByRole("region", { name: "Details" }).getByText("Harbor Office").waitFor();
  });

  it("is deleted permanently, with all sessions, after its name is typed [S7.16] [S2.1]", async () => {
    await link(page, "Delete organization…").click();
    const dialog = page.getByRole("alertdialog", { name: "Delete Harbor Office?" });
    await field(dialog, "Type Harbor Office to confirm").fill("Harbor");
    await button(dialog, "Delete organization").click();
    await expectText(dialog, "Enter the organization’s exact name.");
    await field(dialog, "Type Harbor Office to confirm").fill("Harbor Office");
    await button(dialog, "Delete organization").click();
    await heading(page, "Your account was deleted").waitFor();
    await expectPath(page, "/deleted-account");
    await expect.poll(() => page.context().cookies(), PATIENT).toEqual([]);
    await expect(clientFor(server.url, owner.userToken, owner.authToken)(whoami)).rejects.toThrow(
      "Not logged in",
    );
  });
});
