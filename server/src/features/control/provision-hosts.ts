/** What a host gets when it enrolls. */
import { isNebulaTooOld, oldestNebulaVersion } from "@lightkeeper/nebula";
import type { ControlPlane } from "../agents/control-plane.ts";
import { endpointOidcOf } from "../agents/endpoint-users.service.ts";
import { desiredState } from "./compile.ts";
import { toCompiledHost } from "../agents/compiled-host.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { ensureSigningKey } from "../../nouns/certificates/signing-keys.service.ts";
import { issueCredentials } from "./issue-credentials.ts";
import { buildReply } from "./replies.ts";
import { readSnapshot, type Snapshot } from "./snapshot.ts";
import type { UpdateParts } from "./update-hosts.ts";

const FIRST_COUNTER = 1;

export function createProvisioning(
  ctx: Context,
  { snapshots, issue, signerOf }: Pick<UpdateParts, "snapshots" | "issue" | "signerOf">,
): ControlPlane["provision"] {
  return async (tx, { row, keysOf, client: { nebulaVersion }, networkRevision, now }) => {
    const { organization_id: organizationID, network_id: networkID } = row;
    const snapshot = await (networkRevision === undefined
      ? readSnapshot(tx, networkID, now)
      : snapshots.get(networkID, networkRevision));
    if (!snapshot) return undefined;
    const { curve } = snapshot;
    requireSupportedNebula(snapshot, nebulaVersion);
    const keys = keysOf(curve);
    await ensureSigningKey(ctx, tx, { organizationID, curve, now });
    const host = toCompiledHost(row);
    const { certificate, yaml } = await issueCredentials(tx, issue, {
      host: { id: row.id, organizationID, networkID, endpointExpiresAt: row.endpoint_expires_at },
      snapshot,
      desired: desiredState(snapshot, host, nebulaVersion),
      keys,
      counter: FIRST_COUNTER,
      nebulaVersion,
      now,
    });
    const signer = await signerOf(tx, organizationID, curve);
    const endpointOIDC = await endpointOidcOf(tx, {
      endpointUserID: row.endpoint_oidc_user_id,
      endpointExpiresAt: row.endpoint_expires_at,
    });
    const reply = buildReply({ snapshot, host, yaml, counter: FIRST_COUNTER, signer, endpointOIDC });
    return { certificate, issuerID: snapshot.issuer.id, reply };
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
