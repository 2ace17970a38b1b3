/** The hosts that are people's devices. */
import type { EndpointEnrollment } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import type { AuditEntry, Author } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { lockHostForNoKeyUpdate, lockNetworksForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import { storeEnrollmentCode } from "../enrollment/enrollment-codes.service.ts";
import { entryOf } from "../../nouns/hosts/host-audit.ts";
import { createHosts } from "../../nouns/hosts/hosts.service.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { bumpRevisions } from "../../nouns/networks/revisions.service.ts";
import type { Identity } from "../../nouns/sso/claims.ts";
import type { EndpointRequest } from "./endpoint-auth.service.ts";
import { ensureEndpointUser } from "./endpoint-users.service.ts";

const DAY_MS = 86_400_000;
export const CODE_LIFETIME_SECONDS = 3600;
const NAME_LENGTH_MAX = 60;
const NAMES_AT_ONCE = 32;

export interface SignedIn {
  author: Author;
  identity: Identity;
  endpoint: EndpointEnrollment;
  request: EndpointRequest;
  now: Date;
}

export interface Completed {
  state: "completed";
  hostID: string;
  name: string;
  email: string;
  validUntil: Date;
}

interface Device {
  completed: Completed;
  entries: AuditEntry[];
}

/** Names and rules may change under the hands of somebody else; then it is looked at again. */
const ATTEMPTS_MAX = 3;
const RETRIED = new Set(["ERR_DUPLICATE_VALUE", "ERR_INVALID_REFERENCE"]);

export async function retryNameConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await work();
    } catch (error) {
      const isRetried = error instanceof ApiError && RETRIED.has(error.message);
      if (!isRetried) throw error;
      if (attempt === ATTEMPTS_MAX) throw new ApiError("ERR_UNAVAILABLE");
    }
}

const untilWhen = ({ endpoint, now }: SignedIn) => new Date(now.getTime() + endpoint.validDays * DAY_MS);

/** A new host, and a code for it that only the device can tell. */
export async function enrollDevice(ctx: Context, tx: Writer, signedIn: SignedIn): Promise<Device> {
  const { author, identity, endpoint, request, now } = signedIn;
  const host = {
    networkID: endpoint.networkID,
    name: await freeName(tx, endpoint.networkID, identity.email),
    roleID: endpoint.roleID,
    address: undefined,
    staticAddresses: [],
    listenPort: 0,
    isLighthouse: false,
    isRelay: false,
    tags: endpoint.tags,
    configOverrides: [],
  };
  const { rows, entries } = await createHosts(ctx, tx, { author, now, hosts: [host], at: (_, name) => name });
  const [row] = rows;
  if (!row || !request.code_hash) throw new Error("No host was made");
  const { organizationID } = author;
  const validUntil = untilWhen(signedIn);
  await tx
    .updateTable("hosts")
    .set({
      endpoint_oidc_user_id: await ensureEndpointUser(tx, { organizationID, identity, now }),
      endpoint_expires_at: validUntil,
    })
    .where("id", "=", row.id)
    .execute();
  const code = { codeHash: request.code_hash, lifetimeSeconds: CODE_LIFETIME_SECONDS };
  const kept = await storeEnrollmentCode(tx, { author, now, host: row, ...code });
  return {
    completed: { state: "completed", hostID: row.id, name: row.name, email: identity.email, validUntil },
    entries: [...entries, kept],
  };
}

/** For as long again, if it is theirs. */
export async function keepDevice(tx: Writer, signedIn: SignedIn & { hostID: string }): Promise<Device> {
  const { author, identity, now, hostID } = signedIn;
  const { organizationID } = author;
  const userID = await ensureEndpointUser(tx, { organizationID, identity, now });
  const found = await tx
    .selectFrom("hosts")
    .select("network_id")
    .where("organization_id", "=", organizationID)
    .where("id", "=", hostID)
    .executeTakeFirst();
  const networkIDs = found ? [found.network_id] : [];
  await lockNetworksForNoKeyUpdate(tx, organizationID, networkIDs);
  // The new revision makes the server compare the host's certificate with its new expiry.
  await bumpRevisions(tx, organizationID, networkIDs);
  const row = found && (await lockHostForNoKeyUpdate(tx, hostID));
  if (!row || row.endpoint_oidc_user_id !== userID)
    throw new ApiError("ERR_OIDC_NOT_ALLOWED", { message: "the device belongs to somebody else" });
  if (row.is_blocked) throw new ApiError("ERR_HOST_BLOCKED");
  const validUntil = untilWhen(signedIn);
  await tx.updateTable("hosts").set({ endpoint_expires_at: validUntil }).where("id", "=", hostID).execute();
  const before = { signInExpiresAt: row.endpoint_expires_at?.toISOString() ?? null };
  const after = { signInExpiresAt: validUntil.toISOString() };
  return {
    completed: { state: "completed", hostID, name: row.name, email: identity.email, validUntil },
    entries: [entryOf(author, row, "UPDATED", before, after)],
  };
}

/** The part of an address before the @, with the lowest number that makes it a name of its own. */
async function freeName(tx: Writer, networkID: string, email: string): Promise<string> {
  const local = email.slice(0, email.lastIndexOf("@")).replace(/[^a-z0-9.]+/g, "-");
  const stem = local.slice(0, NAME_LENGTH_MAX).replace(/^[-.]+|[-.]+$/g, "") || "device";
  for (let first = 1; ; first += NAMES_AT_ONCE) {
    const names = Array.from({ length: NAMES_AT_ONCE }, (_, index) => `${stem}-${first + index}`);
    const rows = await tx
      .selectFrom("hosts")
      .select("name_key")
      .where("network_id", "=", networkID)
      .where("name_key", "in", names)
      .execute();
    const taken = new Set(rows.map(({ name_key }) => name_key));
    const free = names.find((name) => !taken.has(name));
    if (free !== undefined) return free;
  }
}
