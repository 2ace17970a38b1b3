import { useQuery } from "@tanstack/react-query";
import { describeAddedOrRemoved } from "../references/audit-changes.ts";
import { isRecord, textsOf } from "../references/audit-snapshots.ts";
import type { AuditTarget, NameLoaderProps } from "../references/audit-target.ts";
import { networkPath } from "../references/network-link.tsx";
import { allNetworksQuery } from "../references/networks.queries.ts";

function NameLoader({ id, children }: NameLoaderProps) {
  const { data: networks } = useQuery(allNetworksQuery);
  const name = networks?.find((candidate) => candidate.id === id)?.name;
  return children({ name, isMissing: networks !== undefined });
}

export const network: AuditTarget = {
  label: "Networks",
  noun: "network",
  path: networkPath,
  NameLoader,
  fields: {
    certVersion: { label: "certificate version" },
    cidrs: { label: "address ranges", describe: describeAddedOrRemoved(textsOf) },
    lighthousesAsRelays: { label: "lighthouses as relays" },
    disableManagedLighthouses: { label: "managed lighthouses" },
  },
  updated: (_entry, { after }, objectParts) => {
    if (!isRecord(after?.rotation)) return undefined;
    const isForced = after.rotation.isForced === true;
    return [isForced ? "forced the CA rotation of " : "started rotating the CA of ", ...objectParts];
  },
};
