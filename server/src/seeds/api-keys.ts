import type { AuditActor, Scope } from "@lightkeeper/contract";
import type { Writer } from "../infrastructure/db/client.ts";
import { toHexText } from "../infrastructure/db/json-rows.ts";
import { minutesAfterStart, type Plan } from "./plan.ts";
import { insertRows } from "./rows.ts";

const NAME = "Terraform";
const SCOPES: Scope[] = [
  "hosts:create",
  "hosts:read",
  "hosts:list",
  "hosts:update",
  "hosts:enroll",
  "networks:list",
];

/** The stored hash is random, so no token exists. Returns the key as an audit actor. */
export async function insertApiKey(tx: Writer, plan: Plan): Promise<AuditActor> {
  const id = plan.ids.id("lkkey");
  const createdAt = minutesAfterStart(plan, 45);
  const row = {
    id,
    organization_id: plan.organizationID,
    name: NAME,
    scopes: SCOPES,
    token_hash: toHexText(plan.ids.bytes(32)),
    expires_at: null,
    last_used_at: null,
    created_at: createdAt,
  };
  await insertRows(tx, "api_keys", [row]);
  const after = { name: NAME, scopes: SCOPES, expiresAt: null };
  plan.history.add(createdAt, { target: { type: "apiKey", id }, event: "CREATED", before: null, after });
  return { type: "apiKey", id, name: NAME };
}
