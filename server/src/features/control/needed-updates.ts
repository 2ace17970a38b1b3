/** What a host has to fetch, by comparing what it has with what it should have. */
import { CLOCK_SKEW_MS_MAX } from "../../infrastructure/time/clock.ts";
import type { AgentCall } from "../agents/control-plane.ts";
import type { CallingHost } from "../agents/calling-hosts.service.ts";
import { isSignInExpired } from "../agents/endpoint-users.service.ts";
import { lastsUntil } from "../../nouns/certificates/certificates.service.ts";
import type { DesiredState } from "./compile.ts";
import type { DesiredStates } from "./desired-states.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Snapshots } from "./snapshots.ts";

export type Update = "config" | "certificate";

const DAY_MS = 86_400_000;
const REMEMBERED_MAX = 200_000;

type Certificate = NonNullable<CallingHost["certificate"]>;

const halfway = ({ notBefore, notAfter }: Certificate) => (notBefore.getTime() + notAfter.getTime()) / 2;

/** Half of it is used up, and another one would last longer; of a device, that its person has signed in again. */
function isAging(
  certificate: Certificate,
  { endpointExpiresAt }: CallingHost,
  { issuer }: Snapshot,
  now: Date,
): boolean {
  const gained = lastsUntil(issuer, now, endpointExpiresAt).getTime() - certificate.notAfter.getTime();
  if (endpointExpiresAt !== null) return gained > 0;
  return now.getTime() >= halfway(certificate) && gained > DAY_MS;
}

/** Issued before the clock was set back: hosts whose clocks are right do not accept it yet. */
const isIssuedInFuture = ({ notBefore }: Certificate, { issuer }: Snapshot, now: Date) =>
  notBefore.getTime() > now.getTime() + CLOCK_SKEW_MS_MAX && issuer.notBefore <= now;

/** Whether it says of the host what is true of it. */
export const isRightlyCertified = (
  { certificate }: Pick<CallingHost, "certificate">,
  desired: DesiredState,
  { issuer }: Snapshot,
) => certificate?.identityHash === desired.identityHash && certificate.caID === issuer.id;

export function neededUpdate(
  host: CallingHost,
  desired: DesiredState,
  snapshot: Snapshot,
  now: Date,
): Update | undefined {
  if (!host.certificate || !isRightlyCertified(host, desired, snapshot)) return "certificate";
  if (isIssuedInFuture(host.certificate, snapshot, now)) return "certificate";
  if (isAging(host.certificate, host, snapshot, now)) return "certificate";
  return host.configHash === desired.configHash ? undefined : "config";
}

export type FindUpdate = (call: AgentCall) => Promise<Update | undefined>;

/**
 * A host that had nothing to fetch has nothing to fetch until the network's revision moves, which every change
 * to it or around it does; so most calls compile nothing.
 */
export function createUpdateFinder(snapshots: Snapshots, desired: DesiredStates): FindUpdate {
  const settled = new Map<string, { as: string; from: number; until: number }>();
  return async ({ host, client, now }) => {
    if (isSignInExpired(host, now)) return undefined;
    const snapshot = await snapshots.get(host.networkID, host.networkRevision);
    if (!snapshot) return undefined;
    const as = [snapshot.revision, snapshot.day, host.counter, client.nebulaVersion].join(" ");
    const known = settled.get(host.id);
    if (known?.as === as && now.getTime() >= known.from && now.getTime() < known.until) return undefined;
    const update = neededUpdate(host, desired(snapshot, host, client.nebulaVersion), snapshot, now);
    settled.delete(host.id);
    if (update === undefined && host.certificate && snapshot.revision === host.networkRevision) {
      const ages = halfway(host.certificate);
      const until = ages > now.getTime() ? ages : Infinity;
      settled.set(host.id, { as, from: now.getTime() - CLOCK_SKEW_MS_MAX, until });
      const [oldest] = settled.keys();
      if (settled.size > REMEMBERED_MAX && oldest !== undefined) settled.delete(oldest);
    }
    return update;
  };
}
