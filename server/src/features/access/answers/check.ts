/** Whether hosts can open a connection, with one pair of hosts as an example. */
import type { AccessAnswer } from "@lightkeeper/contract";
import {
  type AccessHost,
  checkPairs,
  checkPairsWithAddress,
  findTrafficTo,
  type PairCheck,
  type Traffic,
} from "@lightkeeper/nebula/access";
import { type CheckBody, type CheckEndpoints, findCheckEndpoints } from "./check-endpoints.ts";
import { type HostSync, presentExample } from "./example.ts";
import type { LoadNetworks } from "./loaded-network.ts";
import { presentTraffic } from "./present.ts";

export interface CheckDependencies {
  networks: LoadNetworks;
  /** Reads whether hosts run their newest configuration. */
  readHostSync: (hostIDs: readonly string[]) => Promise<HostSync>;
}

export async function checkAccess(
  { networks, readHostSync }: CheckDependencies,
  organizationID: string,
  body: CheckBody,
): Promise<AccessAnswer> {
  const endpoints = await findCheckEndpoints(networks, organizationID, body);
  const { loaded, destination } = endpoints;
  const traffic: Traffic = { protocol: body.protocol, port: body.port ?? undefined };
  const { pairs, allowedPairs, example } = checkEndpoints(endpoints, traffic);
  const foreignHost = destination.kind === "otherNetwork" ? destination.host : undefined;
  return {
    answer: summarize(pairs, allowedPairs),
    pairCount: pairs,
    allowedPairCount: allowedPairs,
    example: example
      ? await presentExample(loaded, { ...example, traffic, foreignHost }, readHostSync)
      : null,
    traffic:
      example && !foreignHost
        ? presentTraffic(findTrafficTo(loaded.network, example.source, example.address))
        : [],
    revision: loaded.revision,
  };
}

const firstAddress = ({ addresses }: AccessHost) => addresses[0] ?? "";

function summarize(pairCount: number, allowedPairCount: number): AccessAnswer["answer"] {
  if (allowedPairCount === 0) return "none";
  return allowedPairCount === pairCount ? "all" : "some";
}

function checkEndpoints({ loaded, sources, destination }: CheckEndpoints, traffic: Traffic): PairCheck {
  const { network } = loaded;
  const [source] = sources;
  if (destination.kind === "otherNetwork") {
    const example = source && { source, address: firstAddress(destination.host) };
    return { pairs: sources.length, allowedPairs: 0, example };
  }
  const hosts = destination.kind === "address" ? [destination.host] : destination.hosts;
  // One host and itself count as a pair here, whose check explains why there is no connection.
  if (source && sources.length === 1 && hosts.length === 1 && source === hosts[0])
    return { pairs: 1, allowedPairs: 0, example: { source, address: firstAddress(source) } };
  return destination.kind === "address"
    ? checkPairsWithAddress(network, sources, destination.address, traffic)
    : checkPairs(network, sources, destination.hosts, traffic);
}
