/** Devices that wait for the approval of an administrator. */
import type { Selectable } from "kysely";
import type { Context } from "../../infrastructure/context/context.ts";
import { newId } from "../../infrastructure/crypto/ids.ts";
import { type AuditEntry, type Author, done, type Outcome } from "../../infrastructure/db/audited.ts";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import {
  lockDeviceRequestForUpdate,
  lockEndpointAuthRequestForUpdate,
  lockOrganizationForNoKeyUpdate,
} from "../../infrastructure/db/locks.ts";
import {
  deleteDeviceRequest,
  type EndpointRequest,
  insertDeviceRequest,
  updateEndpointRequest,
} from "../../nouns/device-requests/device-requests.service.ts";
import { DAY_MS, SECOND_MS } from "../../infrastructure/time/durations.ts";
import type { Identity } from "../../nouns/sso/claims.ts";
import { endpointOf, findProvider } from "../../nouns/sso/oidc-provider.service.ts";
import { requireNotRemoved } from "../../nouns/sso/removals.service.ts";
import { addDevice, CODE_LIFETIME_SECONDS } from "./endpoint-devices.service.ts";

const LIFETIME_MS = DAY_MS;
const REQUESTS_MAX = 100;
const REQUESTS_PER_PERSON_MAX = 5;

export type DeviceRequestRow = Selectable<Tables["device_requests"]> & { verification_code: string };

const pendingOf = (db: Reader, organizationID: string, now: Date) =>
  db
    .selectFrom("device_requests")
    .innerJoin(
      "endpoint_auth_requests",
      "endpoint_auth_requests.poll_token_hash",
      "device_requests.poll_token_hash",
    )
    .selectAll("device_requests")
    .select("endpoint_auth_requests.verification_code")
    .where("device_requests.organization_id", "=", organizationID)
    .where("device_requests.expires_at", ">", now);

export function listDeviceRequests(
  db: Reader,
  organizationID: string,
  now: Date,
): Promise<DeviceRequestRow[]> {
  return pendingOf(db, organizationID, now)
    .orderBy("device_requests.created_at")
    .orderBy("device_requests.id")
    .execute();
}

const entryOf = (
  author: Author,
  id: string,
  change: Pick<AuditEntry, "event" | "before" | "after">,
): AuditEntry => ({ ...author, target: { type: "deviceRequest", id }, ...change });

const auditRequest = ({ email, address, verification_code }: DeviceRequestRow) => ({
  email,
  address,
  verificationCode: verification_code,
});

interface NewDeviceRequest {
  author: Author;
  identity: Identity;
  request: EndpointRequest;
  ip: string;
  now: Date;
}

export interface PendingDevice {
  state: "pendingApproval";
  email: string;
  expiresAt: Date;
}

/** The caller has locked the organization, so that the limits are exact. */
export async function requestApproval(
  tx: Writer,
  { author, identity, request, ip, now }: NewDeviceRequest,
): Promise<Outcome<PendingDevice>> {
  const { organizationID } = author;
  await requireRequestQuota(tx, organizationID, identity, now);
  const { poll_token_hash, verification_code } = request;
  const expiresAt = new Date(now.getTime() + LIFETIME_MS);
  const row = {
    id: newId("devicerequest"),
    organization_id: organizationID,
    poll_token_hash,
    ...identity,
    address: ip,
    created_at: now,
    expires_at: expiresAt,
  };
  await insertDeviceRequest(tx, row);
  await updateEndpointRequest(tx, request, { state: "PENDING_APPROVAL", expires_at: expiresAt });
  const after = auditRequest({ ...row, verification_code });
  return done(
    { state: "pendingApproval", email: identity.email, expiresAt },
    entryOf(author, row.id, { event: "SUCCEEDED_AUTH", before: null, after: { factor: "sso" } }),
    entryOf(author, row.id, { event: "CREATED", before: null, after }),
  );
}

/** The limit per person keeps one person from using up the limit of the organization. */
async function requireRequestQuota(
  tx: Writer,
  organizationID: string,
  { issuer, subject }: Identity,
  now: Date,
): Promise<void> {
  const pending = await listDeviceRequests(tx, organizationID, now);
  const ofPerson = pending.filter((row) => row.issuer === issuer && row.subject === subject);
  if (ofPerson.length >= REQUESTS_PER_PERSON_MAX)
    throw new ApiError("ERR_LIMIT_EXCEEDED", { extra: { limit: REQUESTS_PER_PERSON_MAX } });
  if (pending.length >= REQUESTS_MAX)
    throw new ApiError("ERR_LIMIT_EXCEEDED", { extra: { limit: REQUESTS_MAX } });
}

interface Decision {
  author: Author;
  id: string;
  now: Date;
}

async function lockRequest(tx: Writer, { author, id, now }: Decision) {
  const { organizationID } = author;
  await lockOrganizationForNoKeyUpdate(tx, organizationID);
  const row = await pendingOf(tx, organizationID, now)
    .where("device_requests.id", "=", id)
    .executeTakeFirst();
  if (!row) throw new ApiError("ERR_NOT_FOUND");
  await lockEndpointAuthRequestForUpdate(tx, row.poll_token_hash);
  if (!(await lockDeviceRequestForUpdate(tx, organizationID, id))) throw new ApiError("ERR_NOT_FOUND");
  return row;
}

/** Uses the current settings, which may have changed since the person signed in. */
export async function approveDevice(
  ctx: Context,
  tx: Writer,
  decision: Decision,
): Promise<Outcome<{ hostID: string; name: string }>> {
  const { author, id, now } = decision;
  const { organizationID } = author;
  const row = await lockRequest(tx, decision);
  const { issuer, subject, email } = row;
  await requireNotRemoved(tx, organizationID, { issuer, subject });
  const provider = await findProvider(tx, organizationID);
  const endpoint = provider && endpointOf(provider);
  if (!endpoint) throw new ApiError("ERR_OIDC_NOT_CONFIGURED");
  const request = await tx
    .selectFrom("endpoint_auth_requests")
    .selectAll()
    .where("poll_token_hash", "=", row.poll_token_hash)
    .executeTakeFirstOrThrow();
  const identity = { issuer, subject, email };
  const device = { author, identity, endpoint, request, now };
  const { completed, entries } = await addDevice(ctx, tx, device);
  const expires_at = new Date(now.getTime() + CODE_LIFETIME_SECONDS * SECOND_MS);
  await deleteDeviceRequest(tx, row.id);
  await updateEndpointRequest(tx, row, { state: "COMPLETED", expires_at });
  const { hostID, name } = completed;
  const approved = entryOf(author, id, {
    event: "UPDATED",
    before: auditRequest(row),
    after: { ...auditRequest(row), hostID },
  });
  return done({ hostID, name }, approved, ...entries);
}

export async function rejectDevice(tx: Writer, decision: Decision): Promise<Outcome<Record<string, never>>> {
  const row = await lockRequest(tx, decision);
  await deleteDeviceRequest(tx, row.id);
  await updateEndpointRequest(tx, row, { state: "REJECTED" });
  const change = { event: "DELETED", before: auditRequest(row), after: null } as const;
  return done({}, entryOf(decision.author, decision.id, change));
}
