/** An administrator checks access, adds the missing rule, and protects a role with a guarantee. */
import { createHostV2, createNetwork, createRole, getRole, type Role } from "@lightkeeper/contract";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { type Account, createAccount } from "./account.ts";
import { useBrowser } from "./browser.ts";
import { enrollHost } from "./enroll-host.ts";
import { keysOf } from "./keys.ts";
import {
  button,
  chooseInRowMenu,
  expectFocus,
  expectText,
  field,
  heading,
  link,
  pick,
  PATIENT,
  picker,
} from "./steps.ts";

const visit = useBrowser();
const server = inject("server");
let account: Account;
let page: Page;
let depot: Role;
/** The URL of the check from a visitor to the depot. */
let visitorCheck: string;

beforeAll(async () => {
  account = await createAccount(server);
  const { id: networkID } = await account.call(createNetwork, { body: { name: "Harbour" } });
  const hostIDs: Record<string, string> = {};
  for (const name of ["Crane", "Depot", "Visitor"]) {
    const role = await account.call(createRole, { body: { name } });
    const hostName = `${name.toLowerCase()}-01`;
    const body = { name: hostName, networkID, roleID: role.id };
    const { id } = await account.call(createHostV2, { body });
    await enrollHost(server.url, account, id);
    hostIDs[hostName] = id;
    if (name === "Depot") depot = role;
  }
  visitorCheck = `/access?source=${hostIDs["visitor-01"]}&destination=${hostIDs["depot-01"]}&protocol=TCP&port=443`;
  ({ page } = await visit({ account }));
});

const { press, pickFirst, retype, use } = keysOf(() => page);

const answer = (name: string) => page.getByRole("region", { name, exact: true });
const preview = () => page.getByRole("region", { name: "Preview changes" });
const rulesOfDepot = async () =>
  (await account.call(getRole, { params: { roleID: depot.id } })).firewallRules.length;

/** Opens the form of the role with the rule that would allow the visitor. */
async function draftRuleForVisitor(): Promise<void> {
  await page.goto(visitorCheck);
  await link(answer("visitor-01 to depot-01: Denied"), "Add this rule…").click();
  await heading(page, "Edit Depot").waitFor();
}

describe("an administrator", () => {
  it("checks with the keyboard whether one host reaches another, and sees which rule is missing", async () => {
    await page.goto("/access");
    await expectFocus(picker(page, "Source"));
    await pickFirst("crane-01");
    await press("Tab", "Tab");
    await expectFocus(picker(page, "Destination"));
    await pickFirst("depot-01");
    await retype(field(page, "Port"), "5432");
    const denied = answer("crane-01 to depot-01: Denied");
    await denied.getByText("No inbound rule on depot-01 matches").waitFor();
    await denied.getByText("Allow TCP 5432 (PostgreSQL) from role Crane").waitFor();
    await denied.getByText("Opens 1 pair of hosts: 1 source, 1 destination.", { exact: false }).waitFor();
    expect(await rulesOfDepot()).toBe(0);
  });

  it("shares the URL, which opens the same question and answer", async () => {
    await page.reload();
    await answer("crane-01 to depot-01: Denied").waitFor();
    // The answer doesn't wait for the names of the hosts.
    await expect.poll(() => picker(page, "Source").inputValue(), PATIENT).toBe("crane-01");
    expect(await field(page, "Port").inputValue()).toBe("5432");
    await page.keyboard.press("s");
    await expect.poll(() => picker(page, "Source").inputValue(), PATIENT).toBe("depot-01");
    await page.keyboard.press("s");
    await expect.poll(() => picker(page, "Source").inputValue(), PATIENT).toBe("crane-01");
  });

  it("adds the missing rule after a preview, and the connection is allowed", async () => {
    const url = page.url();
    await use(link(answer("crane-01 to depot-01: Denied"), "Add this rule…"));
    await heading(page, "Edit Depot").waitFor();
    await preview().getByText("1 host can now reach 1 host").waitFor();
    expect(await rulesOfDepot()).toBe(0);
    await button(page, "Save").click();
    await expectText(page, "Role Depot saved");
    expect(await rulesOfDepot()).toBe(1);
    await page.goto(url);
    const allowed = answer("crane-01 to depot-01: Allowed");
    await allowed.getByText("An inbound rule on depot-01 matches").waitFor();
    await link(allowed, "Depot").waitFor();
  });

  it("guarantees that visitors never reach the depot", async () => {
    await page.goto("/guarantees/add");
    await pick(page, "Source role", "Visitor");
    await pick(page, "Destination role", "Depot");
    await expectText(page, "Holds now");
    await field(page, /^Description/).fill("Visitors stay outside");
    await button(page, "Add guarantee").click();
    await expectText(page, "Guarantee added");
    await heading(page, "Guarantees · 1").waitFor();
    await expectText(page, "Holds");
    expect(await page.getByRole("row").filter({ hasText: "Visitors stay outside" }).count()).toBe(1);
  });

  it("can't save a change that breaks the guarantee, and sees the connection", async () => {
    await draftRuleForVisitor();
    const broken = page.getByRole("group", { name: "Breaks a guarantee" });
    await link(broken, "Visitors stay outside").waitFor();
    await button(page, "Save").click();
    await expectFocus(broken);
    expect(await broken.innerText()).toMatch(/visitor-01[^]*depot-01, TCP 443 \(HTTPS\)/);
    expect(await rulesOfDepot()).toBe(1);
  });

  it("suspends the guarantee with a reason", async () => {
    await page.goto("/guarantees");
    await chooseInRowMenu(page, "Role Visitor must never reach role Depot", "Suspend…");
    const dialog = page.getByRole("dialog", { name: "Suspend guarantee" });
    await button(dialog, "Suspend").click();
    await dialog.getByText(/^Enter a reason/).waitFor();
    await field(dialog, "Reason").fill("Open day");
    await button(dialog, "Suspend").click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText(/^Suspended, \d+ days left$/).waitFor();
    await page.getByText(/“Open day”$/).waitFor();
    expect(await rulesOfDepot()).toBe(1);
  });

  it("saves the change, and the audit log shows what it opened", async () => {
    await draftRuleForVisitor();
    await preview().getByText("1 host can now reach 1 host").waitFor();
    await button(page, "Save").click();
    await expectText(page, "Role Depot saved");
    expect(await rulesOfDepot()).toBe(2);
    // Without the entry of the server, which notices that the suspended guarantee fails now.
    await page.goto(`/logs/audit?filter.targetID=${depot.id}`);
    await button(page, "Details").first().click();
    const access = page.getByRole("region", { name: "Access", exact: true });
    await access.getByText("1 opened, 0 closed, 1 host affected.", { exact: false }).waitFor();
    const opened = access.getByRole("listitem");
    await expect
      .poll(() => opened.allInnerTexts(), PATIENT)
      .toEqual([expect.stringMatching(/TCP 443 \(HTTPS\) from role Visitor to role Depot/)]);
  });
});
