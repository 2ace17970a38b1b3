/** What hosts get when they enroll. */
import { isNebulaTooOld, oldestNebulaVersion } from "@lightkeeper/nebula";
import type { ControlPlane } from "../agents/control-plane.ts";
import { endpointOidcOf } from "../agents/endpoint-users.service.ts";
import { toCompiledHost } from "../agents/compiled-host.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { ensureSigningKey } from "../../nouns/certificates/signing-keys.service.ts";
import { issueCredentials } from "./issue-credentials.ts";
import { buildReply } from "./replies.ts";
import { readSnapshot, type Snapshot } from "./snapshot.ts";
import type { UpdateParts } from "./update-hosts.ts";

const FIRST_COUNTER = 1;

type Parts = Pick<UpdateParts, "snapshots" | "desired" | "issue" | "signerOf">;

export function createProvisioning(
  ctx: Context,
  { snapshots, desired, issue, signerOf }: Parts,
): ControlPlane["provision"] {
  return async (tx, { network: { id: networkID, organizationID, revision }, hosts, now }) => {
    const snapshot = await (revision === undefined
      ? readSnapshot(tx, networkID, now)
      : snapshots.get(networkID, revision));
    if (!snapshot) return undefined;
    const { curve } = snapshot;
    const requests = hosts.map(({ row, keysOf, client: { nebulaVersion } }) => {
      requireSupportedNebula(snapshot, nebulaVersion);
      const host = toCompiledHost(row);
      return {
        host: { id: row.id, organizationID, networkID, endpointExpiresAt: row.endpoint_expires_at },
        snapshot,
        desired: desired(snapshot, host, nebulaVersion),
        keys: keysOf(curve),
        counter: FIRST_COUNTER,
        nebulaVersion,
        now,
      };
    });
    await ensureSigningKey(ctx, tx, { organizationID, curve, now });
    const signer = await signerOf(tx, organizationID, curve);
    const issued = await issueCredentials(tx, issue, requests);
    return Promise.all(
      issued.map(async ({ certificate, yaml }, index) => {
        const { row } = hosts[index]!;
        const endpointOIDC = await endpointOidcOf(tx, {
          endpointUserID: row.endpoint_oidc_user_id,
          endpointExpiresAt: row.endpoint_expires_at,
        });
        const host = toCompiledHost(row);
        const reply = buildReply({ snapshot, host, yaml, counter: FIRST_COUNTER, signer, endpointOIDC });
        return { row, certificate, issuerID: snapshot.issuer.id, reply };
      }),
    );
  };
}

/** Clients that don't report a version are assumed to have the newest. */
function requireSupportedNebula(snapshot: Snapshot, nebulaVersion: string | undefined): void {
  const isUpgraded = snapshot.upgrade?.isReverting === false;
  const network = { curve: snapshot.curve, certVersion: isUpgraded ? 2 : snapshot.certVersion } as const;
  if (!isNebulaTooOld(network, nebulaVersion)) return;
  const needs = network.certVersion === 2 ? "version 2 certificates" : "keys of curve P256";
  throw new ApiError("ERR_NEBULA_TOO_OLD", {
    message: `the network ${isUpgraded ? "is being upgraded to" : "has"} ${needs}, which require Nebula ${oldestNebulaVersion(network)} or newer; the host has Nebula ${nebulaVersion}`,
  });
}
