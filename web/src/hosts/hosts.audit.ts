import { describeAddedOrRemoved } from "../references/audit-changes.ts";
import { textOf, textsOf } from "../references/audit-snapshots.ts";
import type { AuditTarget, Part } from "../references/audit-target.ts";

export const host: AuditTarget = {
  label: "Hosts",
  noun: "host",
  // The page of a host redirects lighthouses and relays to their own URL.
  path: (id) => `/hosts/${encodeURIComponent(id)}`,
  fields: {
    ipAddresses: { label: "addresses", describe: describeAddedOrRemoved(textsOf) },
    staticAddresses: { label: "static addresses", describe: describeAddedOrRemoved(textsOf) },
    listenPort: { label: "listen port" },
    description: { label: "description" },
    owner: { label: "owner" },
    isBlocked: { label: "access" },
    isLighthouse: { label: "type" },
    isRelay: { label: "type" },
  },
  created: (_entry, { known }, objectParts) => {
    const networkID = textOf(known.networkID);
    const network: Part[] =
      networkID === undefined ? [] : [" to network ", { object: { type: "network", id: networkID } }];
    return ["added ", ...objectParts, ...network];
  },
  updated: (_entry, { after }, objectParts) =>
    Array.isArray(after?.revokedCertificates) ? ["revoked a certificate of ", ...objectParts] : undefined,
};
