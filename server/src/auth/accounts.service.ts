import type { AuditActor } from "@lightkeeper/contract";
import { sql } from "kysely";
import type { Context } from "../context.ts";
import { newId } from "../crypto/ids.ts";
import type { AuditEntry } from "../db/audited.ts";
import type { Writer } from "../db/client.ts";
import { ApiError } from "../http/api-error.ts";

export interface Account {
  userID: string;
  organizationID: string;
  email: string;
}

export async function findAccount(tx: Writer, email: string): Promise<Account | undefined> {
  return tx
    .selectFrom("users")
    .select(["id as userID", "organization_id as organizationID", "email"])
    .where("email", "=", email)
    .executeTakeFirst();
}

const FIRST_ACCOUNT_LOCK = 7_205_001;

/** Held to the end of the transaction where only the first account may be made. */
async function refuseIfClosed(ctx: Context, tx: Writer): Promise<void> {
  const { signup } = ctx.config;
  if (signup === "open") return;
  if (signup === "first") {
    await sql`select pg_advisory_xact_lock(${FIRST_ACCOUNT_LOCK})`.execute(tx);
    const somebody = await tx.selectFrom("users").select("id").limit(1).executeTakeFirst();
    if (!somebody) return;
  }
  throw new ApiError("ERR_FORBIDDEN", { message: "sign-up is by invitation only" });
}

const LIGHTHOUSE_ROLE = {
  name: "Lighthouse",
  description: "Answers pings from anyone",
  firewallRules: [
    {
      protocol: "ICMP",
      description: "Ping from anyone",
      allowedRoleID: null,
      allowedTags: [],
      portRange: null,
    },
  ],
};

/** An organization with its first user and its first role. */
export async function createAccount(
  ctx: Context,
  tx: Writer,
  { email, plan, now }: { email: string; plan: "pro" | null; now: Date },
): Promise<{ account: Account; entries: [AuditEntry, ...AuditEntry[]] }> {
  await refuseIfClosed(ctx, tx);
  const organizationID = newId("org");
  const userID = newId("user");
  const roleID = newId("role");
  const organization = {
    name: email.slice(email.lastIndexOf("@") + 1),
    plan: ctx.config.appEnv === "local" ? "free" : "selfHosted",
  } as const;
  await tx
    .insertInto("organizations")
    .values({ id: organizationID, ...organization, wanted_plan: plan, created_at: now })
    .execute();
  await tx
    .insertInto("users")
    .values({ id: userID, organization_id: organizationID, email, created_at: now })
    .execute();
  await tx
    .insertInto("roles")
    .values({
      id: roleID,
      organization_id: organizationID,
      name: LIGHTHOUSE_ROLE.name,
      description: LIGHTHOUSE_ROLE.description,
      firewall_rules: JSON.stringify(LIGHTHOUSE_ROLE.firewallRules),
      created_at: now,
      modified_at: now,
    })
    .execute();
  const user: AuditActor = { type: "user", id: userID, email };
  const created = { organizationID, event: "CREATED", before: null } as const;
  return {
    account: { userID, organizationID, email },
    entries: [
      {
        ...created,
        actor: user,
        target: { type: "organization", id: organizationID },
        after: { ...organization, wantedPlan: plan },
      },
      { ...created, actor: user, target: { type: "user", id: userID }, after: { email } },
      { ...created, actor: { type: "system" }, target: { type: "role", id: roleID }, after: LIGHTHOUSE_ROLE },
    ],
  };
}
