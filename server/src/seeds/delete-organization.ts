/** Deletes a sample organization that is incomplete or of an older version. */
import type { Context } from "../infrastructure/context/context.ts";
import { done } from "../infrastructure/db/audited.ts";
import { deleteHostsOfOrganization } from "../nouns/hosts/host-changes.service.ts";
import { deleteRoutesOfOrganization } from "../nouns/routes/routes.service.ts";

/** Does nothing if nobody has this email address. */
export async function deleteOrganizationOf(ctx: Context, email: string): Promise<void> {
  const owner = await ctx.reader
    .selectFrom("users")
    .select("organization_id")
    .where("email", "=", email)
    .executeTakeFirst();
  if (!owner) return;
  const organizationID = owner.organization_id;
  await ctx.audited(async (tx) => {
    await deleteRoutesOfOrganization(tx, organizationID);
    await deleteHostsOfOrganization(tx, organizationID);
    await tx.deleteFrom("organizations").where("id", "=", organizationID).execute();
    return done(undefined, {
      organizationID,
      actor: { type: "system" },
      target: { type: "organization", id: organizationID },
      event: "DELETED",
      before: null,
      after: null,
    });
  });
}
