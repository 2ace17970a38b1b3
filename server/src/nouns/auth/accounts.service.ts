import type { AuditActor } from "@lightkeeper/contract";
import { sql } from "kysely";
import { planOfNewOrganizations } from "../billing/billing.service.ts";
import type { Config } from "../../infrastructure/config/config.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { newId } from "../../infrastructure/crypto/ids.ts";
import type { AuditEntry } from "../../infrastructure/db/audited.ts";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { insertUser } from "../members/users.service.ts";
import { insertOrganization } from "../organizations/organizations.service.ts";
import { insertRole, type NewRole } from "../roles/insert-role.service.ts";
import { hasUsers, requireCurrentSetupCode } from "./setup-code.service.ts";

export interface Account {
  userID: string;
  organizationID: string;
  email: string;
}

export async function findAccount(db: Reader, email: string): Promise<Account | undefined> {
  return db
    .selectFrom("users")
    .select(["id as userID", "organization_id as organizationID", "email"])
    .where("email", "=", email)
    .executeTakeFirst();
}

const FIRST_ACCOUNT_LOCK = 7_205_001;

/** Sign-up may be closed, or open only for the first account. */
export async function isSignupOpen({ signup }: Config, db: Reader): Promise<boolean> {
  if (signup !== "first") return signup === "open";
  return !(await hasUsers(db));
}

export async function requireSignupOpen(config: Config, db: Reader): Promise<void> {
  if (!(await isSignupOpen(config, db)))
    throw new ApiError("ERR_FORBIDDEN", { message: "sign-up is closed: ask for an invitation" });
}

const LIGHTHOUSE_ROLE = {
  name: "Lighthouse",
  description: "Allows ping from any host",
  firewallRules: [
    {
      protocol: "ICMP",
      description: "Ping from any host",
      allowedRoleID: null,
      portRange: null,
    },
  ],
} satisfies NewRole["role"];

interface NewAccount {
  email: string;
  plan: "pro" | null;
  /** Hash of the setup code that the sign-up was requested with. */
  setupCodeHash: Buffer | null;
  now: Date;
}

/** Creates an organization with its first user and its first role. */
export async function createAccount(
  ctx: Context,
  tx: Writer,
  { email, plan, setupCodeHash, now }: NewAccount,
): Promise<{ account: Account; entries: [AuditEntry, ...AuditEntry[]] }> {
  // Serializes concurrent sign-ups, so that only one account becomes the first.
  if (ctx.config.signup === "first")
    await sql`select pg_advisory_xact_lock(${FIRST_ACCOUNT_LOCK})`.execute(tx);
  await requireSignupOpen(ctx.config, tx);
  await requireCurrentSetupCode(ctx.config, tx, setupCodeHash);
  await tx.deleteFrom("setup_codes").execute();
  const account = { userID: newId("user"), organizationID: newId("org"), email };
  const roleID = newId("role");
  const organization = {
    name: email.slice(email.lastIndexOf("@") + 1),
    plan: planOfNewOrganizations(ctx.config),
    wantedPlan: plan,
  } as const;
  await insertAccount(tx, { account, roleID, organization, now });
  return { account, entries: accountEntries({ account, roleID, organization }) };
}

interface AccountRows {
  account: Account;
  roleID: string;
  organization: {
    name: string;
    plan: ReturnType<typeof planOfNewOrganizations>;
    wantedPlan: NewAccount["plan"];
  };
}

async function insertAccount(
  tx: Writer,
  { account: { userID, organizationID, email }, roleID, organization, now }: AccountRows & { now: Date },
): Promise<void> {
  await insertOrganization(tx, { id: organizationID, ...organization, now });
  await insertUser(tx, { id: userID, organizationID, email, role: "owner", now });
  await insertRole(tx, { id: roleID, organizationID, role: LIGHTHOUSE_ROLE, now });
}

function accountEntries({
  account: { userID, organizationID, email },
  roleID,
  organization,
}: AccountRows): [AuditEntry, ...AuditEntry[]] {
  const actor: AuditActor = { type: "user", id: userID, email };
  const creation = { organizationID, actor, event: "CREATED", before: null } as const;
  return [
    { ...creation, target: { type: "organization", id: organizationID }, after: organization },
    { ...creation, target: { type: "user", id: userID }, after: { email, role: "owner" } },
    {
      ...creation,
      actor: { type: "system" },
      target: { type: "role", id: roleID },
      after: LIGHTHOUSE_ROLE,
    },
  ];
}
