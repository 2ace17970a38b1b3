/** Creates hosts with enrollment codes, without the limits of the Free plan. */
import type { Context } from "../infrastructure/context/context.ts";
import { type AuditEntry, done } from "../infrastructure/db/audited.ts";
import type { Account } from "../nouns/auth/accounts.service.ts";
import { createEnrollmentCode } from "../nouns/enrollment-codes/enrollment-codes.service.ts";
import { createHosts, type HostInput } from "../nouns/hosts/hosts.service.ts";

const CODE_LIFETIME_SECONDS = 3600;

/** Returns the code of each host by the host's name. */
export function createHostsWithCodes(
  ctx: Context,
  { organizationID, userID, email }: Account,
  hosts: HostInput[],
): Promise<Map<string, string>> {
  const author = { organizationID, actor: { type: "user", id: userID, email } as const };
  return ctx.audited(async (tx) => {
    const now = ctx.clock();
    await tx.updateTable("organizations").set({ plan: "pro" }).where("id", "=", organizationID).execute();
    const at = (index: number, property: string) => `hosts[${index}].${property}`;
    const created = await createHosts(ctx, tx, { author, now, hosts, pathAt: at });
    const codes = new Map<string, string>();
    const codeEntries: AuditEntry[] = [];
    for (const host of created.rows) {
      const { enrollmentCode, entry } = await createEnrollmentCode(tx, {
        author,
        now,
        host,
        lifetimeSeconds: CODE_LIFETIME_SECONDS,
      });
      codes.set(host.name, enrollmentCode.code);
      codeEntries.push(entry);
    }
    const [first, ...rest] = [...created.entries, ...codeEntries];
    if (!first) throw new Error("No hosts to create");
    return done(codes, first, ...rest);
  });
}
