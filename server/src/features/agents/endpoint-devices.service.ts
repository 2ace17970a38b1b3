/** Hosts that are devices of people. */
import type { EndpointEnrollment } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import type { AuditEntry, Author } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { lockHostForNoKeyUpdate, lockNetworksForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import { storeEnrollmentCode } from "../../nouns/enrollment-codes/enrollment-codes.service.ts";
import { extendEndpointSignIn, setEndpointUser } from "../../nouns/hosts/endpoint-hosts.service.ts";
import type { EndpointRequest } from "../../nouns/device-requests/device-requests.service.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../infrastructure/time/durations.ts";
import { entryOf } from "../../nouns/hosts/host-audit.ts";
import { createHosts } from "../../nouns/hosts/hosts.service.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { bumpRevisions } from "../../nouns/networks/revisions.service.ts";
import type { Identity } from "../../nouns/sso/claims.ts";
import { ensureEndpointUser } from "./endpoint-users.service.ts";

export const CODE_LIFETIME_SECONDS = HOUR_MS / SECOND_MS;
const NAME_LENGTH_MAX = 60;
const NAMES_PER_QUERY = 32;

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

/** Another request may take the name or delete the role between the check and the insert. */
const ATTEMPTS_MAX = 3;
const RETRIED_CODES = new Set(["ERR_DUPLICATE_VALUE", "ERR_INVALID_REFERENCE"]);

export async function retryNameConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await work();
    } catch (error) {
      const isRetried = error instanceof ApiError && RETRIED_CODES.has(error.message);
      if (!isRetried) throw error;
      if (attempt === ATTEMPTS_MAX) throw new ApiError("ERR_UNAVAILABLE");
    }
}

const signInEnd = ({ endpoint, now }: SignedIn) => new Date(now.getTime() + endpoint.validDays * DAY_MS);

/** Creates a host, with an enrollment code that only the device can compute. */
export async function addDevice(ctx: Context, tx: Writer, signedIn: SignedIn): Promise<Device> {
  const { author, identity, endpoint, request, now } = signedIn;
  const host = {
    networkID: endpoint.networkID,
    name: await findFreeName(tx, endpoint.networkID, identity.email),
    roleID: endpoint.roleID,
    addresses: [],
    staticAddresses: [],
    listenPort: 0,
    isLighthouse: false,
    isRelay: false,
    tags: endpoint.tags,
    configOverrides: [],
    description: "",
    owner: "",
  };
  const { rows, entries } = await createHosts(ctx, tx, {
    author,
    now,
    hosts: [host],
    pathAt: (_, name) => name,
  });
  const [row] = rows;
  if (!row || !request.code_hash) throw new Error("No host was created");
  const { organizationID } = author;
  const validUntil = signInEnd(signedIn);
  const userID = await ensureEndpointUser(tx, { organizationID, identity, now });
  await setEndpointUser(tx, { hostID: row.id, userID, expiresAt: validUntil });
  const code = { codeHash: request.code_hash, lifetimeSeconds: CODE_LIFETIME_SECONDS };
  const codeEntry = await storeEnrollmentCode(tx, { author, now, host: row, ...code });
  return {
    completed: { state: "completed", hostID: row.id, name: row.name, email: identity.email, validUntil },
    entries: [...entries, codeEntry],
  };
}

/** Keeps an enrolled device valid until the new sign-in expires. */
export async function extendSignIn(tx: Writer, signedIn: SignedIn & { hostID: string }): Promise<Device> {
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
    throw new ApiError("ERR_OIDC_NOT_ALLOWED", { message: "the device belongs to someone else" });
  if (row.is_blocked) throw new ApiError("ERR_HOST_BLOCKED");
  const validUntil = signInEnd(signedIn);
  await extendEndpointSignIn(tx, { hostID, expiresAt: validUntil });
  const before = { signInExpiresAt: row.endpoint_expires_at?.toISOString() ?? null };
  const after = { signInExpiresAt: validUntil.toISOString() };
  return {
    completed: { state: "completed", hostID, name: row.name, email: identity.email, validUntil },
    entries: [entryOf(author, row, "UPDATED", before, after)],
  };
}

/** The part of the email address before the @, with the lowest number that makes the name unique. */
async function findFreeName(tx: Writer, networkID: string, email: string): Promise<string> {
  const local = email.slice(0, email.lastIndexOf("@")).replace(/[^a-z0-9.]+/g, "-");
  const stem = local.slice(0, NAME_LENGTH_MAX).replace(/^[-.]+|[-.]+$/g, "") || "device";
  for (let first = 1; ; first += NAMES_PER_QUERY) {
    const names = Array.from({ length: NAMES_PER_QUERY }, (_, index) => `${stem}-${first + index}`);
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
