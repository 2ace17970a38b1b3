import {
  ATTENTION_ITEMS_MAX,
  type AttentionItem,
  attentionSeverities,
  type getAttention,
  type DataOf,
} from "@lightkeeper/contract";
import { findUnacknowledgedBlocks } from "./items/block-unacknowledged.ts";
import { findExpiringCas } from "./items/ca-expiring.ts";
import { findExpiringCertificates } from "./items/certificate-expiring.ts";
import { findFailingChannels } from "./items/channel-failing.ts";
import { findFailingGuarantees } from "./items/guarantee-failing.ts";
import type { AttentionSources, FindItems } from "./items/item.ts";
import { findNetworksWithoutLighthouse } from "./items/network-without-lighthouse.ts";
import { findWaitingRotations } from "./items/rotation-waiting.ts";
import {
  type AttentionRequest,
  countExpiringHosts,
  listNetworkStates,
  sumHealth,
} from "./sources.queries.ts";

const finders: Record<AttentionItem["type"], FindItems> = {
  NETWORK_WITHOUT_LIGHTHOUSE: findNetworksWithoutLighthouse,
  GUARANTEE_FAILING: findFailingGuarantees,
  CA_EXPIRING: findExpiringCas,
  ROTATION_WAITING: findWaitingRotations,
  CERTIFICATE_EXPIRING: findExpiringCertificates,
  BLOCK_UNACKNOWLEDGED: findUnacknowledgedBlocks,
  CHANNEL_FAILING: findFailingChannels,
};
const types = Object.keys(finders) as AttentionItem["type"][];

export async function readAttention(
  { db, findWaitingHosts }: Pick<AttentionSources, "db" | "findWaitingHosts">,
  request: AttentionRequest,
): Promise<DataOf<typeof getAttention>> {
  const networks = await listNetworkStates(db, request);
  const expiringHosts = await countExpiringHosts(db, request);
  const sources = { db, request, networks, expiringHosts, findWaitingHosts };
  const items: AttentionItem[] = [];
  for (const type of types) {
    const found = await finders[type](sources);
    items.push(...found.map((item) => ({ type, ...item })));
  }
  return {
    items: items.sort(compareItems).slice(0, ATTENTION_ITEMS_MAX),
    health: sumHealth(networks, expiringHosts),
  };
}

const keyOf = ({ type, objects }: AttentionItem) => [type, ...objects.map(({ id }) => id)].join();
const ageOf = ({ since }: AttentionItem) => (since === null ? Infinity : Date.parse(since));

/** By severity, then by the hosts affected, then the oldest first. */
function compareItems(a: AttentionItem, b: AttentionItem): number {
  return (
    attentionSeverities.indexOf(a.severity) - attentionSeverities.indexOf(b.severity) ||
    b.hostCount - a.hostCount ||
    // Two unknown times have no difference.
    ageOf(a) - ageOf(b) ||
    keyOf(a).localeCompare(keyOf(b), "en")
  );
}
