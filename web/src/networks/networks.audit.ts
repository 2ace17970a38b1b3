import { useQuery } from "@tanstack/react-query";
import { describeAddedOrRemoved } from "../references/audit-changes.ts";
import { isRecord, type Snapshots, textsOf } from "../references/audit-snapshots.ts";
import type { AuditTarget, NameLoaderProps, Part } from "../references/audit-target.ts";
import { networkPath } from "../references/network-link.tsx";
import { allNetworksQuery } from "../references/networks.queries.ts";
import { upgradeTexts } from "./network-upgrade-steps.ts";

function NameLoader({ id, children }: NameLoaderProps) {
  const { data: networks } = useQuery(allNetworksQuery);
  const name = networks?.find((candidate) => candidate.id === id)?.name;
  return children({ name, isMissing: networks !== undefined });
}

const stepLabelOf = (step: unknown): string | undefined =>
  Object.entries(upgradeTexts.labels).find(([known]) => known === step)?.[1];

/** Every step of an upgrade to version 2 certificates is an entry. */
function describeUpgrade({ before, after }: Snapshots): Part[] | undefined {
  if (!after || !("upgrade" in after)) return undefined;
  const [from, to] = [before?.upgrade, after.upgrade].map((value) => (isRecord(value) ? value : undefined));
  if (!to) return ["reverted the upgrade to version 2 certificates of "];
  if (!from || from.step === "DONE") return ["started the upgrade to version 2 certificates of "];
  if (to.isReverting === true)
    return from.isReverting === true
      ? ["continued to revert the upgrade of "]
      : ["started to revert the upgrade of "];
  if (to.isForced === true && from.isForced !== true) return ["skipped hosts in the upgrade of "];
  if (to.step === "DONE") return ["completed the upgrade to version 2 certificates of "];
  const label = stepLabelOf(to.step);
  return label === undefined ? undefined : ["started the step ", { strong: label }, " in the upgrade of "];
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
  updated: (_entry, snapshots, objectParts) => {
    const { after } = snapshots;
    const upgradeParts = describeUpgrade(snapshots);
    if (upgradeParts) return [...upgradeParts, ...objectParts];
    if (!isRecord(after?.rotation)) return undefined;
    const isForced = after.rotation.isForced === true;
    return [isForced ? "forced the CA rotation of " : "started rotating the CA of ", ...objectParts];
  },
};
