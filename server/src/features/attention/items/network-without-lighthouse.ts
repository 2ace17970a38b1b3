import { clampToNow } from "../../../infrastructure/time/clock.ts";
import { type AttentionSources, type FindItems, toHostObjects, toNetworkObject } from "./item.ts";

/** A network with enrolled hosts, of which no lighthouse is online. */
export const findNetworksWithoutLighthouse: FindItems = async (sources) => {
  const affected = sources.networks.filter(
    ({ enrolledHosts, onlineLighthouses }) => enrolledHosts > 0 && onlineLighthouses === 0,
  );
  if (affected.length === 0) return [];
  const lighthouses = await listLighthouses(
    sources,
    affected.map(({ id }) => id),
  );
  return affected.map((network) => {
    const own = lighthouses.filter(({ network_id }) => network_id === network.id);
    return {
      severity: "CRITICAL",
      objects: [toNetworkObject(network), ...toHostObjects(own)],
      hostCount: network.enrolledHosts,
      since: findLastSeen(own, sources.request.now)?.toISOString() ?? null,
      expiresAt: null,
    };
  });
};

const listLighthouses = ({ db, request }: AttentionSources, networkIDs: readonly string[]) =>
  db
    .selectFrom("hosts")
    .innerJoin("host_presence", "host_presence.host_id", "hosts.id")
    .select(["hosts.id", "hosts.name", "hosts.network_id", "host_presence.last_seen_at"])
    .where("hosts.organization_id", "=", request.organizationID)
    .where("hosts.is_lighthouse", "=", true)
    .where("hosts.network_id", "in", networkIDs)
    .orderBy("hosts.name_key")
    .execute();

/** When the last lighthouse was seen; undefined if none ever was. */
function findLastSeen(lighthouses: readonly { last_seen_at: Date | number }[], now: Date): Date | undefined {
  const times = lighthouses.flatMap(({ last_seen_at }) =>
    last_seen_at instanceof Date ? [last_seen_at.getTime()] : [],
  );
  return times.length > 0 ? clampToNow(new Date(Math.max(...times)), now) : undefined;
}
