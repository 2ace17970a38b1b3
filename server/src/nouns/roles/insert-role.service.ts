import type { FirewallRule } from "@lightkeeper/contract";
import type { Writer } from "../../infrastructure/db/client.ts";

export interface NewRole {
  id: string;
  organizationID: string;
  role: { name: string; description: string; firewallRules: readonly FirewallRule[] };
  now: Date;
}

export async function insertRole(tx: Writer, { id, organizationID, role, now }: NewRole): Promise<void> {
  await tx
    .insertInto("roles")
    .values({
      id,
      organization_id: organizationID,
      name: role.name,
      description: role.description,
      firewall_rules: JSON.stringify(role.firewallRules),
      created_at: now,
      modified_at: now,
    })
    .execute();
}
