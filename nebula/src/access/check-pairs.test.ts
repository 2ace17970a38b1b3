/** The answers about some hosts agree with the answer about each single pair. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { network } from "../../test-data/random-network.ts";
import { checkPairs, checkPairsWithAddress, findTrafficTo } from "./check-pairs.ts";
import type { AccessHost, AccessNetwork, Traffic } from "./network.ts";
import { portOf } from "./port-ranges.ts";
import type { TrafficRange } from "./port-ranges.ts";
import { checkFlow } from "./verdict.ts";

const TRAFFIC: readonly Traffic[] = [
  { protocol: "TCP", port: 22 },
  { protocol: "UDP", port: 81 },
  { protocol: "TCP", isFragment: true },
  { protocol: "ICMP" },
  { protocol: "OTHER" },
];
const ROUTED_IPV4 = ["192.168.5.1", "192.168.5.200", "192.168.6.1", "172.16.0.1", "10.0.0.200"];
const ROUTED_IPV6 = ["fd05:0:5::1", "fd05:0:5:0:8000::1", "fd05:6::1", "2001:db8::1", "fd00::200"];
const ROUTED = [...ROUTED_IPV4, ...ROUTED_IPV6];
const RUNS = 30;

const contains = (ranges: readonly TrafficRange[], traffic: Traffic) =>
  ranges.some(
    ({ protocol, from, to }) =>
      protocol === traffic.protocol && portOf(traffic) >= from && portOf(traffic) <= to,
  );

const isAllowed = (given: AccessNetwork, source: AccessHost, destination: string, traffic: Traffic) =>
  checkFlow(given, { source, destination, traffic }).isAllowed;

const networkAndHosts = network.chain((given) =>
  fc.record({
    given: fc.constant(given),
    sources: fc.subarray([...given.hosts]),
    destinations: fc.subarray([...given.hosts]),
    traffic: fc.constantFrom(...TRAFFIC),
  }),
);

it("finds the traffic to an address that the verdict allows", () => {
  fc.assert(
    fc.property(network, (given) => {
      for (const source of given.hosts)
        for (const address of [...given.hosts.flatMap((host) => host.addresses), ...ROUTED]) {
          const found = findTrafficTo(given, source, address);
          for (const traffic of TRAFFIC)
            expect(contains(found, traffic)).toBe(isAllowed(given, source, address, traffic));
        }
    }),
    { numRuns: RUNS },
  );
});

it("counts the pairs of hosts that the verdict allows, with one that it denies as the example", () => {
  fc.assert(
    fc.property(networkAndHosts, ({ given, sources, destinations, traffic }) => {
      const pairs = sources.flatMap((source) =>
        destinations.filter((host) => host !== source).map(({ addresses }) => ({ source, addresses })),
      );
      const allowed = pairs.filter(({ source, addresses }) =>
        addresses.some((address) => isAllowed(given, source, address, traffic)),
      );
      const found = checkPairs(given, sources, destinations, traffic);
      expect(found).toMatchObject({ pairs: pairs.length, allowedPairs: allowed.length });
      expect(found.example !== undefined).toBe(pairs.length > 0);
      const { example } = found;
      if (example)
        expect(isAllowed(given, example.source, example.address, traffic)).toBe(
          allowed.length === pairs.length,
        );
    }),
    { numRuns: RUNS * 10 },
  );
});

it("counts the hosts that reach an address behind a router", () => {
  fc.assert(
    fc.property(networkAndHosts, fc.constantFrom(...ROUTED), ({ given, sources, traffic }, address) => {
      const allowed = sources.filter((source) => isAllowed(given, source, address, traffic));
      expect(checkPairsWithAddress(given, sources, address, traffic)).toMatchObject({
        pairs: sources.length,
        allowedPairs: allowed.length,
      });
    }),
    { numRuns: RUNS * 10 },
  );
});
