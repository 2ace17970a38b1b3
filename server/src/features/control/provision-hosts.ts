/** What a host gets when it enrolls. */
import type { ControlPlane } from "../agents/control-plane.ts";
import { endpointOidcOf } from "../agents/endpoint-users.service.ts";
import { desiredState } from "./compile.ts";
import { toCompiledHost } from "../agents/compiled-host.ts";
import { issueCredentials } from "./issue-credentials.ts";
import { buildReply } from "./replies.ts";
import { readSnapshot } from "./snapshot.ts";
import type { UpdateParts } from "./update-hosts.ts";

const FIRST_COUNTER = 1;

export function createProvisioning({
  issue,
  signerOf,
}: Pick<UpdateParts, "issue" | "signerOf">): ControlPlane["provision"] {
  return async (tx, { row, keys, client: { nebulaVersion }, now }) => {
    const { organization_id: organizationID, network_id: networkID } = row;
    // Read in the transaction: enrolling may have changed the blocklist.
    const snapshot = await readSnapshot(tx, networkID, now);
    if (!snapshot) return undefined;
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
    const signer = await signerOf(tx, organizationID);
    const endpointOIDC = await endpointOidcOf(tx, {
      endpointUserID: row.endpoint_oidc_user_id,
      endpointExpiresAt: row.endpoint_expires_at,
    });
    const reply = buildReply({ snapshot, host, yaml, counter: FIRST_COUNTER, signer, endpointOIDC });
    return { certificate, issuerID: snapshot.issuer.id, reply };
  };
}
