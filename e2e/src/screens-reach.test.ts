/** Screens of access: the check with its answers, the matrix, a host's access, and guarantees. */
import {
  createGuarantee,
  createHostV2,
  createNetwork,
  createRole,
  type Guarantee,
  suspendGuarantee,
} from "@lightkeeper/contract";
import { DAY_MS } from "@lightkeeper/contract/durations";
import { beforeAll, inject } from "vitest";
import { createAccount } from "./account.ts";
import { useBrowser, type Visitor } from "./browser.ts";
import { enrollHost } from "./enroll-host.ts";
import { openPage } from "./open-page.ts";
import { atAddress, describeScreens, EXTREMES, type Screen } from "./screens.ts";
import { button, chooseInRowMenu, expectText, heading } from "./steps.ts";

const visit = useBrowser();
const server = inject("server");
let member: Visitor;
let newcomer: Visitor;
let failing: Guarantee;
let roleIDs: { crane: string; depot: string };
let hostIDs: { crane: string; depot: string };
let lintedRoleID: string;

beforeAll(async () => {
  const account = await createAccount(server);
  const { call } = account;
  const { id: networkID } = await call(createNetwork, { body: { name: "Harbour" } });
  const { id: crane } = await call(createRole, { body: { name: "Crane" } });
  const { id: depot } = await call(createRole, {
    body: {
      name: "Depot",
      firewallRules: [{ protocol: "TCP", portRange: { from: 5432, to: 5432 }, allowedRoleID: crane }],
    },
  });
  roleIDs = { crane, depot };
  ({ id: lintedRoleID } = await call(createRole, {
    body: {
      name: "Beacon",
      firewallRules: [
        { protocol: "TCP", portRange: { from: 1, to: 2000 } },
        { protocol: "TCP", portRange: { from: 22, to: 22 }, description: "Maintenance" },
        { protocol: "UDP", description: "DNS", allowedRoleID: crane },
      ],
    },
  }));
  const add = async (name: string, roleID: string) => {
    const { id } = await call(createHostV2, { body: { name, networkID, roleID } });
    await enrollHost(server.url, account, id);
    return id;
  };
  hostIDs = { crane: await add("crane-01", crane), depot: await add("depot-01", depot) };
  await add("depot-02", depot);
  const guarantee = {
    type: "MUST_NEVER_REACH",
    source: { type: "role", id: crane },
    destination: { type: "role", id: depot },
  } as const;
  failing = await call(createGuarantee, { body: { ...guarantee, protocol: "TCP" } });
  const { id: guaranteeID } = await call(createGuarantee, { body: { ...guarantee, protocol: "ANY" } });
  const until = new Date(Date.now() + 5 * DAY_MS).toISOString();
  await call(suspendGuarantee, { params: { guaranteeID }, body: { reason: "Crane inspection", until } });
  await call(createGuarantee, { body: { ...guarantee, protocol: "UDP", description: "No streams" } });
  member = await visit({ account });
  const fresh = await createAccount(server);
  await fresh.call(createNetwork, { body: { name: "Harbour" } });
  newcomer = await visit({ account: fresh });
});

/** An answer of the check, which is known by its name. */
const answered = (name: string, query: () => Record<string, string>, answer: string): Screen => ({
  name,
  open: async () => {
    const { page } = member;
    await openPage(page, `/access?${new URLSearchParams({ protocol: "TCP", ...query() })}`);
    await page.getByRole("region", { name: answer }).waitFor();
    return page;
  },
});

const checks: Screen[] = [
  { ...atAddress("access-check", () => member, "/access", "Can A reach B?"), widths: EXTREMES },
  answered(
    "access-allowed",
    () => ({ source: hostIDs.crane, destination: hostIDs.depot, port: "5432" }),
    "crane-01 to depot-01: Allowed",
  ),
  answered(
    "access-denied",
    () => ({ source: hostIDs.crane, destination: hostIDs.depot, port: "22" }),
    "crane-01 to depot-01: Denied",
  ),
  answered(
    "access-roles",
    () => ({ source: roleIDs.crane, destination: roleIDs.depot, port: "5432" }),
    "Crane to Depot: All",
  ),
  answered(
    "access-address",
    () => ({ source: hostIDs.crane, destination: "192.168.7.7", port: "443" }),
    "crane-01 to 192.168.7.7: Denied",
  ),
  {
    name: "access-port",
    widths: EXTREMES,
    open: async () => {
      const { page } = member;
      const sides = new URLSearchParams({ source: hostIDs.crane, destination: hostIDs.depot });
      await openPage(page, `/access?${sides}&port=none`);
      await expectText(page, "Choose a port");
      return page;
    },
  },
];

const overviews: Screen[] = [
  {
    name: "access-matrix",
    open: async () => {
      const { page } = member;
      await openPage(page, "/access/matrix?view=grid");
      await page.getByRole("gridcell", { name: "Crane to Depot: TCP 5432 (PostgreSQL)" }).click();
      await page.getByRole("list", { name: "Rules" }).waitFor();
      return page;
    },
  },
  {
    name: "access-matrix-table",
    open: async () => {
      const { page } = member;
      await openPage(page, "/access/matrix?view=table");
      await page.getByRole("table", { name: "Access" }).waitFor();
      return page;
    },
  },
  {
    name: "host-access",
    open: async () => {
      const { page } = member;
      await openPage(page, `/hosts/${hostIDs.depot}/access`);
      await page
        .getByRole("button", { name: /^Why\?/ })
        .first()
        .click();
      await page.getByText(/^Rule 1 of role/).waitFor();
      return page;
    },
  },
];

const lints: Screen[] = [
  atAddress("rules-to-review", () => member, "/access/rules", "Rules to review · 3"),
  {
    ...atAddress("rules-to-review-empty", () => newcomer, "/access/rules", "Rules to review · 0"),
    widths: EXTREMES,
  },
  {
    name: "role-hints",
    open: async () => {
      const { page } = member;
      await openPage(page, `/roles/${lintedRoleID}`);
      await page.getByRole("button", { name: "Remove rule", exact: true }).click();
      await page.getByRole("button", { name: "Limit to port 53" }).waitFor();
      return page;
    },
  },
];

const guarantees: Screen[] = [
  atAddress("guarantees", () => member, "/guarantees", "Guarantees · 3"),
  { ...atAddress("guarantees-empty", () => newcomer, "/guarantees", "Guarantees · 0"), widths: EXTREMES },
  {
    name: "guarantee-add",
    open: async () => {
      const { page } = member;
      const sentence = new URLSearchParams({
        source: `role:${roleIDs.crane}`,
        destination: `role:${roleIDs.depot}`,
      });
      await openPage(page, `/guarantees/add?${sentence}`);
      await expectText(page, "Doesn’t hold yet");
      return page;
    },
  },
  {
    name: "guarantee-edit",
    open: async () => {
      const { page } = member;
      await openPage(page, `/guarantees/${failing.id}/edit`);
      await heading(page, "Edit guarantee").waitFor();
      await expectText(page, "Doesn’t hold yet");
      return page;
    },
  },
  {
    name: "guarantee-suspend",
    widths: EXTREMES,
    open: async () => {
      const { page } = member;
      await openPage(page, "/guarantees?filter.state=failing");
      await chooseInRowMenu(page, "Role Crane must never reach role Depot", "Suspend…");
      const dialog = page.getByRole("dialog", { name: "Suspend guarantee" });
      await button(dialog, "Suspend").click();
      await dialog.getByRole("alert").first().waitFor();
      return page;
    },
  },
];

describeScreens([...checks, ...overviews, ...lints, ...guarantees]);
