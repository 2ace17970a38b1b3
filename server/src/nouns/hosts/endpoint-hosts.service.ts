/** Hosts that are devices of people who sign in with an identity provider. */
import type { Writer } from "../../infrastructure/db/client.ts";

export async function setEndpointUser(
  tx: Writer,
  { hostID, userID, expiresAt }: { hostID: string; userID: string; expiresAt: Date },
): Promise<void> {
  await tx
    .updateTable("hosts")
    .set({ endpoint_oidc_user_id: userID, endpoint_expires_at: expiresAt })
    .where("id", "=", hostID)
    .execute();
}

export async function extendEndpointSignIn(
  tx: Writer,
  { hostID, expiresAt }: { hostID: string; expiresAt: Date },
): Promise<void> {
  await tx.updateTable("hosts").set({ endpoint_expires_at: expiresAt }).where("id", "=", hostID).execute();
}
