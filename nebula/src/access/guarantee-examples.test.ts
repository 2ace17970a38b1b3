import type { AccessNetwork } from "./network.ts";
import { checkFlow } from "./verdict.ts";
import { describe, expect, it } from "vitest";
import { hostOf, networkOf, tcp } from "../../test-data/access-network.ts";
import type { AccessGuarantee } from "./guarantee.ts";
import { evaluateGuarantee } from "./guarantees.ts";

const role = (id: string) => ({ type: "role", id: `role-${id}` }) as const;
const tag = (id: string) => ({ type: "tag", id }) as const;
const any = { type: "any" } as const;
const subnet = (cidr: string) => ({ type: "subnet", cidr }) as const;
const port = (from: number, to = from) => ({ from, to });

const evaluate = (more: Partial<AccessGuarantee>, network: AccessNetwork = networkOf()) =>
  evaluateGuarantee(network, {
    id: "guarantee-1",
    type: "MUST_NEVER_REACH",
    source: any,
    destination: any,
    protocol: "TCP",
    portRange: null,
    ...more,
  });

describe("a guarantee that hosts never reach others", () => {
  it("holds if no rule allows any of the traffic", () => {
    const given = { source: role("database"), destination: role("web"), portRange: port(22) };
    expect(evaluate(given)).toEqual({ pairs: 6, brokenPairs: 0 });
  });

  it("is broken by each pair that a rule allows to connect, with the traffic and the rule", () => {
    const found = evaluate({
      source: role("web"),
      destination: role("database"),
      portRange: port(5000, 6000),
    });
    expect(found).toMatchObject({
      pairs: 6,
      brokenPairs: 6,
      violation: {
        source: { name: "web-1" },
        destination: { name: "database-1" },
        address: "10.0.0.21",
        traffic: { protocol: "TCP", ...port(5432) },
        rule: { source: { kind: "role" }, index: 0 },
      },
    });
  });

  it("doesn't count a host and itself", () => {
    expect(evaluate({ source: role("web"), destination: role("web") })).toMatchObject({
      pairs: 6,
      brokenPairs: 6,
    });
    const only = { type: "host", id: "host-web-1" } as const;
    expect(evaluate({ source: only, destination: only })).toEqual({ pairs: 0, brokenPairs: 0 });
  });

  it("selects hosts by tags that no rule mentions", () => {
    const found = evaluate({ source: role("database"), destination: tag("color:red"), portRange: port(443) });
    expect(found).toMatchObject({ pairs: 2, brokenPairs: 2, violation: { destination: { name: "web-1" } } });
  });

  it("with any protocol includes ICMP", () => {
    const found = evaluate({ source: role("web"), destination: role("router"), protocol: "ANY" });
    expect(found).toMatchObject({ pairs: 3, brokenPairs: 3, violation: { traffic: { protocol: "ICMP" } } });
    const withPorts = { source: role("web"), destination: role("router"), protocol: "ANY" } as const;
    expect(evaluate({ ...withPorts, portRange: port(1, 65_535) }).brokenPairs).toBe(0);
  });

  it("counts hosts that are blocked, expired or not enrolled", () => {
    const hosts = networkOf().hosts.map((host) => ({ ...host, isBlocked: true, certificate: undefined }));
    const given = { source: role("web"), destination: role("database"), portRange: port(5432) };
    expect(evaluate(given, networkOf({ hosts }))).toMatchObject({ pairs: 6, brokenPairs: 6 });
  });
});

describe("a guarantee that hosts always reach others", () => {
  const webToDatabase = { type: "MUST_REACH", source: role("web"), destination: role("database") } as const;

  it("holds if the rules allow all of the traffic", () => {
    expect(evaluate({ ...webToDatabase, portRange: port(5432) })).toEqual({ pairs: 6, brokenPairs: 0 });
  });

  it("is broken by each pair for which a part is missing, with the first missing part and no rule", () => {
    const found = evaluate({ ...webToDatabase, portRange: port(5432, 5433) });
    expect(found).toMatchObject({ pairs: 6, brokenPairs: 6, violation: { traffic: port(5433) } });
    expect(found.violation?.rule).toBeUndefined();
    expect(
      evaluate({ type: "MUST_REACH", destination: tag("env:test"), portRange: port(9100) }).brokenPairs,
    ).toBe(0);
    expect(evaluate({ type: "MUST_REACH", destination: role("web"), portRange: port(9100) })).toMatchObject({
      pairs: 18,
      brokenPairs: 12,
    });
  });
});

describe("a guarantee about a subnet", () => {
  const laptop = { type: "host", id: "host-laptop" } as const;

  it("counts each host once, except the routers of the subnet", () => {
    const found = evaluate({ destination: subnet("192.168.0.0/16"), portRange: port(80) });
    expect(found).toMatchObject({
      pairs: 6,
      brokenPairs: 1,
      violation: {
        source: { name: "laptop" },
        address: "192.168.5.1",
        traffic: port(80),
        rule: { source: { kind: "route", id: "route-office" } },
      },
    });
    expect(found.violation?.destination).toBeUndefined();
    expect(evaluate({ destination: subnet("192.168.6.0/24") })).toEqual({ pairs: 0, brokenPairs: 0 });
  });

  it("must be reachable as a whole", () => {
    const given = { type: "MUST_REACH", source: laptop, portRange: port(80) } as const;
    expect(evaluate({ ...given, destination: subnet("192.168.5.128/25") })).toEqual({
      pairs: 1,
      brokenPairs: 0,
    });
    expect(evaluate({ ...given, destination: subnet("192.168.4.0/23") })).toMatchObject({
      brokenPairs: 1,
      violation: { address: "192.168.4.1" },
    });
  });

  it("is divided where rules apply to a part of it", () => {
    const network = networkOf();
    const [route] = network.routes;
    const firewallRules = [{ ...tcp(80), localCIDR: "192.168.5.64/26" }];
    const routes = [{ ...route!, firewallRules }];
    const evaluatePart = (cidr: string) =>
      evaluate({ source: laptop, destination: subnet(cidr) }, { ...network, routes }).brokenPairs;
    expect(evaluatePart("192.168.5.0/26")).toBe(0);
    expect(evaluatePart("192.168.5.100/32")).toBe(1);
    expect(evaluatePart("192.168.5.0/24")).toBe(1);
  });

  it("leaves out the overlay's own addresses", () => {
    expect(evaluate({ destination: subnet("10.0.0.0/25") })).toEqual({ pairs: 0, brokenPairs: 0 });
  });
});

it("agrees with the decision for every single pair", () => {
  const network = networkOf({
    hosts: [
      ...networkOf().hosts,
      hostOf("old-router", "10.0.0.42", { roleID: "role-web", nebulaVersion: "1.6.1" }),
    ],
  });
  for (const number of [22, 80, 443, 5432, 9100]) {
    const broken = network.hosts.flatMap((source) =>
      network.hosts.filter(({ addresses }) => {
        const traffic = { protocol: "TCP", port: number } as const;
        return checkFlow(network, { source, destination: addresses[0]!, traffic }).isAllowed;
      }),
    ).length;
    expect(evaluate({ portRange: port(number) }, network)).toMatchObject({ pairs: 56, brokenPairs: broken });
  }
});
