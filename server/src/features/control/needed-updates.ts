/** Compares the credentials that a host has with those it should have. */
import { CLOCK_SKEW_MS_MAX } from "../../infrastructure/time/clock.ts";
import { DAY_MS } from "../../infrastructure/time/durations.ts";
import type { AgentCall } from "../agents/control-plane.ts";
import type { CallingHost } from "../agents/calling-hosts.service.ts";
import { isSignInExpired } from "../agents/endpoint-users.service.ts";
import { certificateEnd } from "../../nouns/certificates/certificates.service.ts";
import type { DesiredState } from "./compile.ts";
import type { DesiredStates } from "./desired-states.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Snapshots } from "./snapshots.ts";

export type Update = "config" | "certificate";

const CACHED_HOSTS_MAX = 200_000;

type Certificate = NonNullable<CallingHost["certificate"]>;

const halfway = ({ notBefore, notAfter }: Certificate) => (notBefore.getTime() + notAfter.getTime()) / 2;

/** Half of the lifetime has passed and a new certificate lasts longer; for a device, its user has signed in again. */
function isRenewable(
  certificate: Certificate,
  { endpointExpiresAt }: CallingHost,
  { issuer }: Snapshot,
  now: Date,
): boolean {
  const gainedMs = certificateEnd(issuer, now, endpointExpiresAt).getTime() - certificate.notAfter.getTime();
  if (endpointExpiresAt !== null) return gainedMs > 0;
  return now.getTime() >= halfway(certificate) && gainedMs > DAY_MS;
}

/** Issued before the clock was set back: hosts with a correct clock don't accept it yet. */
const isIssuedInFuture = ({ notBefore }: Certificate, { issuer }: Snapshot, now: Date) =>
  notBefore.getTime() > now.getTime() + CLOCK_SKEW_MS_MAX && issuer.notBefore <= now;

/** The certificates have the current name, addresses, groups and CAs of the host. */
export const hasDesiredIdentity = (
  { certificate }: Pick<CallingHost, "certificate">,
  desired: DesiredState,
  { issuer }: Snapshot,
) =>
  certificate?.identityHash === desired.identityHash &&
  certificate.caID === issuer.id &&
  certificate.secondCaID === (desired.secondIssuer?.id ?? null);

export function neededUpdate(
  host: CallingHost,
  desired: DesiredState,
  snapshot: Snapshot,
  now: Date,
): Update | undefined {
  if (!host.certificate || !hasDesiredIdentity(host, desired, snapshot)) return "certificate";
  if (isIssuedInFuture(host.certificate, snapshot, now)) return "certificate";
  if (isRenewable(host.certificate, host, snapshot, now)) return "certificate";
  return host.configHash === desired.configHash ? undefined : "config";
}

/** Computes the update from a row that may have changed since it was read, so another one may be needed. */
export type ExpectUpdate = (call: AgentCall, snapshot: Snapshot) => Update | undefined;

export const createUpdateExpectation =
  (desired: DesiredStates): ExpectUpdate =>
  ({ host, client, now }, snapshot) =>
    isSignInExpired(host, now)
      ? undefined
      : neededUpdate(host, desired(snapshot, host, client.nebulaVersion), snapshot, now);

export type FindUpdate = (call: AgentCall) => Promise<Update | undefined>;

/**
 * A host without an update has none until the network's revision is raised, which every change does. So most calls
 * compile nothing.
 */
export function createUpdateFinder(snapshots: Snapshots, desired: DesiredStates): FindUpdate {
  const upToDate = new Map<string, { version: string; from: number; until: number }>();
  return async ({ host, client, now }) => {
    if (isSignInExpired(host, now)) return undefined;
    const snapshot = await snapshots.get(host.networkID, host.networkRevision);
    if (!snapshot) return undefined;
    const version = [snapshot.revision, snapshot.day, host.counter, client.nebulaVersion].join(" ");
    const cached = upToDate.get(host.id);
    if (cached?.version === version && now.getTime() >= cached.from && now.getTime() < cached.until)
      return undefined;
    const update = neededUpdate(host, desired(snapshot, host, client.nebulaVersion), snapshot, now);
    upToDate.delete(host.id);
    if (update === undefined && host.certificate && snapshot.revision === host.networkRevision) {
      const renewableAt = halfway(host.certificate);
      const until = renewableAt > now.getTime() ? renewableAt : Infinity;
      upToDate.set(host.id, { version, from: now.getTime() - CLOCK_SKEW_MS_MAX, until });
      const [oldest] = upToDate.keys();
      if (upToDate.size > CACHED_HOSTS_MAX && oldest !== undefined) upToDate.delete(oldest);
    }
    return update;
  };
}
