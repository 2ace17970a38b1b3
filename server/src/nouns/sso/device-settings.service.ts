/** The role and tags of devices that people enroll with single sign-on. */
import { sql } from "kysely";
import type { AuditEntry } from "../../infrastructure/db/audited.ts";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import type { Detachment, Reference } from "../firewall-rules/detached-rules.ts";
import { findProvider, providerEntry, type ProviderRow } from "./oidc-provider.service.ts";

const refersTo = (
  { endpoint_network_id, endpoint_role_id, endpoint_tags }: ProviderRow,
  reference: Reference,
) =>
  endpoint_network_id !== null &&
  ("roleID" in reference ? endpoint_role_id === reference.roleID : endpoint_tags.includes(reference.tag));

export async function isUsedForDevices(
  db: Reader,
  organizationID: string,
  reference: Reference,
): Promise<boolean> {
  const provider = await findProvider(db, organizationID);
  return provider !== undefined && refersTo(provider, reference);
}

/** Devices enrolled later no longer get the deleted role or tag. The caller has locked the organization. */
export async function removeFromDeviceSettings(
  tx: Writer,
  { author, reference, now }: Detachment,
): Promise<AuditEntry[]> {
  const before = await findProvider(tx, author.organizationID);
  if (!before || !refersTo(before, reference)) return [];
  const after = await tx
    .updateTable("oidc_providers")
    .set({
      modified_at: now,
      ...("roleID" in reference
        ? { endpoint_role_id: null }
        : { endpoint_tags: sql<string[]>`array_remove(endpoint_tags, ${reference.tag})` }),
    })
    .where("organization_id", "=", author.organizationID)
    .returningAll()
    .executeTakeFirstOrThrow();
  return [providerEntry(author, { event: "UPDATED", before, after })];
}
