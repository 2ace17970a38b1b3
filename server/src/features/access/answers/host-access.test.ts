import type { HostAccess } from "@lightkeeper/contract";
import { describe, expect, it } from "vitest";
import { networkOf } from "@lightkeeper/nebula/testing";
import { loadedNetwork } from "../../../testing/access-fixture.ts";
import { describeHostAccess } from "./host-access.ts";

const show = (name: string, search?: string, loaded = loadedNetwork()) =>
  describeHostAccess(
    loaded,
    loaded.network.hosts.find((host) => host.name === name)!,
    search,
  );

const groupsOf = (reach: HostAccess["inbound"]) =>
  reach.map(({ group, traffic, rules }) => ({
    name: [group.role?.name ?? "None", ...group.tags].join(" "),
    hosts: group.hosts.map((host) => host.name),
    ports: traffic.map(({ protocol, portRange }) => portRange?.from ?? protocol),
    rules: rules.map(({ source, index }) => `${source.name} ${index}`),
  }));

describe("the access of a host", () => {
  it("lists who reaches it by which rules, with the largest groups first", () => {
    const access = show("database-1");
    expect(groupsOf(access.inbound)).toEqual([
      { name: "Web", hosts: ["web-1", "web-2"], ports: [5432], rules: ["Database 0"] },
      { name: "None team:data", hosts: ["laptop"], ports: [22], rules: ["Database 1"] },
      { name: "Web env:test", hosts: ["web-3"], ports: [5432], rules: ["Database 0"] },
    ]);
    expect(access).toMatchObject({
      host: { name: "database-1", ipAddress: "10.0.0.21" },
      networkID: "network-1",
      failedCheck: null,
      inboundGroupCount: 3,
      inboundHostCount: 4,
      revision: 7,
    });
  });

  it("lists whom it reaches, and the subnets behind routers", () => {
    const access = show("laptop");
    expect(groupsOf(access.outbound)).toContainEqual({
      name: "Database env:test",
      hosts: ["database-2"],
      ports: [22, 9100],
      rules: ["Database 1", "env:test 0"],
    });
    expect(access).toMatchObject({ outboundGroupCount: 5, outboundHostCount: 6 });
    expect(access.subnets).toMatchObject([
      {
        subnet: { cidr: "192.168.5.0/24" },
        traffic: [{ protocol: "TCP", portRange: { from: 80, to: 80 } }],
        rules: [{ source: { type: "route", name: "Office" }, index: 0 }],
      },
    ]);
    expect(access.blastRadius).toEqual({ hostCount: 6, subnetCount: 1 });
  });

  it("joins hosts that differ only in the version of Nebula", () => {
    const hosts = networkOf().hosts.map((host) =>
      host.name === "web-2" ? { ...host, nebulaVersion: "1.9.3" } : host,
    );
    const [first] = groupsOf(show("database-1", undefined, loadedNetwork(networkOf({ hosts }))).inbound);
    expect(first).toMatchObject({ name: "Web", hosts: ["web-1", "web-2"] });
  });

  it("is empty while it can't have tunnels, and says why", () => {
    const hosts = networkOf().hosts.map((host) =>
      host.name === "laptop" ? { ...host, isBlocked: true } : host,
    );
    expect(show("laptop", undefined, loadedNetwork(networkOf({ hosts })))).toMatchObject({
      failedCheck: { kind: "blocked", host: { name: "laptop" } },
      inbound: [],
      outbound: [],
      subnets: [],
      blastRadius: { hostCount: 0, subnetCount: 0 },
    });
  });
});

describe("a search in the access of a host", () => {
  const outbound = (search: string) => groupsOf(show("laptop", search).outbound).map(({ name }) => name);

  it("finds hosts, roles and tags by parts of their names", () => {
    expect(outbound("WEB-3")).toEqual(["Web env:test"]);
    expect(outbound("base")).toEqual(["Database", "Database env:test"]);
    expect(outbound("env:")).toEqual(["Database env:test", "Web env:test"]);
    expect(show("laptop", "base")).toMatchObject({
      outboundGroupCount: 2,
      outboundHostCount: 2,
      subnets: [],
    });
  });

  it("finds protocols, ports and subnets", () => {
    expect(outbound("icmp")).toEqual(["Router"]);
    expect(outbound("9100")).toEqual(["Database env:test", "Web env:test"]);
    expect(show("laptop", "80").subnets).toHaveLength(1);
    expect(show("laptop", "192.168").subnets).toHaveLength(1);
    expect(show("laptop", "81")).toMatchObject({ outbound: [], subnets: [], outboundHostCount: 0 });
  });
});
