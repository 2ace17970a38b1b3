/** Every administration page by its URL: its title, and its layout in both themes, wide and narrow. */
import {
  confirmCheckout,
  createApiKey,
  createNetwork,
  type DataOf,
  inviteMember,
  listTotpAuthenticators,
  startEndpointAuth,
  updateOidcProvider,
  updateOrganization,
  whoami,
} from "@lightkeeper/contract";
import { beforeAll, describe, inject, it } from "vitest";
import { clientFor, createAccount, newEmail } from "./account.ts";
import { useBrowser, type Visitor } from "./browser.ts";
import { openPage } from "./open-page.ts";
import { expectAccessibleScreen } from "./screen-checks.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import { EXTREMES } from "./screens.ts";
import { button, expectPath, expectText, expectTitle, field, heading } from "./steps.ts";

const visit = useBrowser();
const server = inject("server");
let fleet: Fleet;
let owner: Visitor;
let buyer: Visitor;
let signedOutVisitor: Visitor;
let apiKey: DataOf<typeof createApiKey>;
let invited: DataOf<typeof inviteMember>;
let totpID: string;
let deviceLogin: string;

const LONG_NAME = "Vaðlaheiðarvegavinnuverkfærageymsluskúrslyklakippuhringurinn".repeat(5).slice(0, 255);

beforeAll(async () => {
  const account = await createAccount(server);
  const { call } = account;
  fleet = await createFleet(call, { boats: 1 });
  apiKey = await call(createApiKey, { body: { name: "Terraform", scopes: ["hosts:list", "hosts:read"] } });
  invited = await call(inviteMember, { body: { email: newEmail(), role: "auditor" } });
  const longEmail = `${"a-very-long-name-of-a-person".repeat(2)}@${newEmail().split("@")[1]}`;
  await call(inviteMember, { body: { email: longEmail, role: "administrator" } });
  totpID = (await call(listTotpAuthenticators))[0]!.id;
  await call(updateOidcProvider, {
    body: {
      name: "Harbour office",
      issuerURL: "https://accounts.example.com/realms/harbour",
      clientID: "lightkeeper",
      clientSecret: "a secret of the harbour office",
      allowedDomains: ["example.com", "harbour.example.com"],
      auditorClaim: { name: "groups", value: "auditors" },
      defaultRole: "administrator",
      endpoint: { networkID: fleet.harbour.id, roleID: fleet.ferry.id, tags: ["pier:east"] },
    },
  });
  ({ loginURL: deviceLogin } = await clientFor(server.url)(startEndpointAuth));
  const payer = await createAccount(server);
  await payer.call(createNetwork, { body: { name: "Lagoon" } });
  await payer.call(confirmCheckout);
  const { organization } = await payer.call(whoami);
  await payer.call(updateOrganization, {
    params: { organizationID: organization.id },
    body: { name: LONG_NAME },
  });
  owner = await visit({ account });
  buyer = await visit({ account: payer });
  signedOutVisitor = await visit();
});

type LazyText = string | (() => string);
const textOf = (text: LazyText) => (typeof text === "string" ? text : text());

interface PageSpec {
  what: string;
  path: LazyText;
  /** Of the page's heading, or of the dialog above it. */
  name: LazyText;
  title: LazyText;
  isDialog?: boolean;
  widths: readonly number[];
  who: () => Visitor;
}

interface More {
  title?: LazyText;
  who?: () => Visitor;
}

const page = (
  what: string,
  path: LazyText,
  name: LazyText,
  { title = name, who = () => owner }: More = {},
) => ({
  what,
  path,
  name,
  title,
  who,
  widths: EXTREMES,
});
/** A page that looks the same on a wide screen, with more space around it. */
const plain = (...spec: Parameters<typeof page>) => ({ ...page(...spec), widths: [320] });
/** A dialog above a page that has its own test. */
const dialog = (...spec: Parameters<typeof page>) => ({ ...plain(...spec), isDialog: true });
/** A dialog with at most one field, which looks like the other dialogs. */
const question = (...spec: Parameters<typeof page>) => ({ ...dialog(...spec), widths: [] });

const key = (part = "") => `/settings/api-keys/${apiKey.id}${part}`;
const totp = (part: string) => `/settings/user/totps/${totpID}/${part}`;
const member = (part: string) => `/settings/members/${invited.id}/${part}`;
const withdrawal = () => `Withdraw the invitation of ${invited.email}`;
const paying = { who: () => buyer };
const signedOut = { who: () => signedOutVisitor };

const pages: readonly PageSpec[] = [
  page("audit log [S2.15]", "/logs/audit", "Audit log"),
  dialog("export of the log [S2.15]", "/logs/audit/export", "Export audit log"),
  page("user settings [S2.18]", "/settings/user", "User settings"),
  question("generate recovery codes", "/settings/user/recovery-codes", "Generate new recovery codes?", {
    title: "Generate new recovery codes",
  }),
  dialog("add an authenticator [S2.18]", "/settings/user/totps/add", "Add authenticator"),
  question("edit an authenticator [S2.18]", () => totp("edit"), "Edit Authenticator"),
  question("delete an authenticator [S2.18]", () => totp("delete"), "Delete authenticator Authenticator?", {
    title: "Delete Authenticator",
  }),
  page("members", "/settings/members", "Members · 3", { title: "Members" }),
  plain("members, only oneself", "/settings/members", "Members · 1", { title: "Members", ...paying }),
  dialog("invite a member", "/settings/members/invite", "Invite member"),
  question(
    "change a member",
    () => member("edit"),
    () => `Change the role of ${invited.email}`,
    {
      title: () => `Edit ${invited.email}`,
    },
  ),
  question(
    "withdraw an invitation",
    () => member("remove"),
    () => `${withdrawal()}?`,
    {
      title: withdrawal,
    },
  ),
  plain("API keys [S2.21]", "/settings/api-keys", "API keys · 1", { title: "API keys" }),
  page("add an API key [S2.21]", "/settings/api-keys/add", "Add API key"),
  page("an API key [S2.21]", key, "Edit Terraform"),
  dialog("rotate an API key", () => key("/rotate"), "Rotate Terraform"),
  question("delete an API key", () => key("/delete"), "Delete API key Terraform?", {
    title: "Delete Terraform",
  }),
  page("single sign-on [S2.22]", "/settings/sso", "Single sign-on"),
  plain("single sign-on, not set up", "/settings/sso", "Single sign-on", paying),
  page("edit single sign-on [S2.22]", "/settings/sso/edit", "Edit single sign-on"),
  page("billing [S2.19]", "/settings/billing", "Billing"),
  plain("billing of a paid plan", "/settings/billing", "Billing", paying),
  plain("checkout [S2.19]", "/settings/billing/checkout", "Upgrade to Pro"),
  plain("checkout of a signup [S2.5]", "/signup/pro", "Upgrade to Pro"),
  dialog("upgrade success [S2.19]", "/settings/billing/upgrade-success", "You’re on Pro", {
    title: "Upgrade successful",
    ...paying,
  }),
  question("downgrade", "/settings/billing/downgrade", "Downgrade to Free?", {
    title: "Downgrade to Free",
    ...paying,
  }),
  page("organization", "/settings/organization", "Organization"),
  page("organization with a long name", "/settings/organization", "Organization", paying),
  question("rename the organization", "/settings/organization/rename", "Rename organization"),
  dialog("leave the organization", "/settings/organization/leave", "Leave example.com?", {
    title: "Leave organization",
  }),
  dialog("delete the organization", "/settings/organization/delete", "Delete example.com?", {
    title: "Delete organization",
  }),
  dialog("delete an organization with a long name", "/settings/organization/delete", `Delete ${LONG_NAME}?`, {
    title: "Delete organization",
    ...paying,
  }),
  page("certificate authorities [S2.14]", "/certificate-authorities", "Certificate Authorities · 2", {
    title: "Certificate Authorities",
  }),
  question(
    "rotate an authority",
    () => `/certificate-authorities/${fleet.harbour.id}/rotate`,
    "Rotate the CA of Harbour?",
    { title: "Rotate Harbour" },
  ),
  page("contact [S2.17]", "/support/contact", "Contact us"),
  page("downloads [S2.16]", "/downloads", "Downloads"),
  plain("sign in a device", () => deviceLogin.slice(server.url.length), "Sign in a device", {
    title: "Auth: Sign in a device",
    ...signedOut,
  }),
  plain("a single sign-on that failed [S2.3]", "/auth/oidc-callback?error=access_denied", "Single sign-on", {
    title: "Auth: Single sign-on",
    ...signedOut,
  }),
];

describe("opens at its URL with its title, fits wide and narrow screens, and is accessible in both themes:", () => {
  it.each(pages)("$what [S1.5] [S2.24]", async ({ what, path, name, title, isDialog, widths, who }) => {
    const { page: tab } = who();
    await tab.goto(textOf(path));
    const over = (["dialog", "alertdialog"] as const).map((role) =>
      tab.getByRole(role, { name: textOf(name) }),
    );
    await (isDialog ? over[0]!.or(over[1]!) : heading(tab, textOf(name))).waitFor();
    await expectTitle(tab, textOf(title));
    await expectPath(tab, textOf(path));
    await expectAccessibleScreen(tab, what.replace(/ \[.*/, "").replace(/\W+/g, "-"), widths);
  });

  it("a token that is shown once [S2.21]", async () => {
    const { page: tab } = owner;
    await openPage(tab, "/settings/api-keys/add");
    await field(tab, "Name").fill("Backups");
    await button(tab, "Read only").click();
    await button(tab, "Add API key").click();
    await heading(tab, "API key Backups created").waitFor();
    await expectAccessibleScreen(tab, "token", EXTREMES);
    await button(tab, "I’ve saved it").click();
  });

  it("a message sent to support [S2.17]", async () => {
    const { page: tab } = owner;
    await openPage(tab, "/support/contact");
    await field(tab, "Subject").fill("The boats are slow");
    await field(tab, "Message").fill("Since the tide turned they are.");
    await button(tab, "Send").click();
    await expectText(tab, "Message sent");
    await expectAccessibleScreen(tab, "sent", EXTREMES);
  });
});
