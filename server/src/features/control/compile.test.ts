import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { insertIdentity } from "@lightkeeper/nebula";
import fc from "fast-check";
import {
  type ConfigOverrides,
  createRole,
  createRoute,
  createTag,
  updateNetworkV2,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nebulaBinaries } from "../../../../scripts/nebula-versions.mjs";
import { createFleet } from "../../testing/fleet.ts";
import { startTestServer, type TestServer } from "../../testing/server.ts";
import { TestAgent } from "../../testing/test-agent.ts";
import type { CompiledHost } from "../agents/compiled-host.ts";
import { desiredState } from "./compile.ts";
import { createDesiredStates } from "./desired-states.ts";
import type { Snapshot, SnapshotRoute } from "./snapshot.ts";
import { affectedHosts } from "./affected-hosts.ts";

const binaries = await nebulaBinaries();

const CA = `-----BEGIN NEBULA CERTIFICATE-----
CjkKB3Rlc3QtY2EogOLPqgYwgKjWuQc6IIqI4910CfGV/VLbLTy6XXLKZwm/HZQS
G/N0iAG0D29cQAESQJE/ZqkTr9Jr2Q5tBHsH9pU4IuLrOrC4EtjAIB/7BBujwG1Q
6X6vVHAt6587swwsXNAVT+L7W+f1oOtiTmPahwk=
-----END NEBULA CERTIFICATE-----
`;

const rules = fc.array(
  fc.record({
    protocol: fc.constantFrom("TCP" as const, "UDP" as const, "ANY" as const),
    description: fc.constant(""),
    portRange: fc.constantFrom(null, { from: 80, to: 80 }, { from: 1, to: 9 }),
    allowedRoleID: fc.constantFrom(null, "role-a", "role-b"),
    allowedTags: fc.subarray(["x:1", "x:2"]),
  }),
  { maxLength: 2 },
);
const peers = fc.subarray([
  { addresses: ["10.0.0.1"], staticAddresses: ["192.0.2.1:4242"] },
  { addresses: ["10.0.0.2"], staticAddresses: ["192.0.2.2:4242"] },
]);
const tag = fc.record({
  priority: fc.integer({ min: 1, max: 3 }),
  configOverrides: fc.constantFrom<ConfigOverrides[]>([], [{ key: "logging.level", value: "debug" }]),
  firewallRules: rules,
  routeIDs: fc.subarray(["route-a", "route-b"]),
});
const route = (id: string) =>
  fc.record({
    id: fc.constant(id),
    routerHostID: fc.constantFrom("host-0", "host-1"),
    routerAddresses: fc.constantFrom("10.0.0.10", "10.0.0.11").map((address) => [address]),
    routableCIDRs: fc.constantFrom<Record<string, { install: boolean }>>(
      { "192.168.1.0/24": { install: true } },
      { "192.168.1.0/24": { install: false } },
      {},
    ),
    firewallRules: fc.constant<SnapshotRoute["firewallRules"]>([]),
    acceptWiderRules: fc.boolean(),
  });
const mapOf = <Value>(keys: string[], value: fc.Arbitrary<Value>) =>
  fc
    .tuple(fc.subarray(keys), fc.array(value, { minLength: keys.length, maxLength: keys.length }))
    .map(([some, values]) => new Map(some.map((key, index) => [key, values[index]!])));

const parts = fc.record({
  lighthousesAsRelays: fc.boolean(),
  lighthouses: peers,
  relays: fc.constant<Snapshot["relays"]>([]),
  blocklist: fc.subarray(["a".repeat(64), "b".repeat(64)]),
  roles: mapOf(["role-a", "role-b"], rules),
  tags: mapOf(["x:1", "x:2"], tag),
  routes: fc.tuple(route("route-a"), route("route-b")).chain((all) => fc.subarray(all)),
});

/** Two snapshots that differ in some of their parts, as after a change. */
const twoSnapshots = fc
  .tuple(parts, parts, fc.subarray(["lighthouses", "blocklist", "roles", "tags", "routes"] as const))
  .map(([before, other, changed]): [Snapshot, Snapshot] => {
    const fixed = {
      networkID: "network-a",
      organizationID: "org-a",
      organizationName: "A",
      networkName: "A",
      cidrs: ["10.0.0.0/24"],
      curve: "25519" as const,
      certVersion: 1 as const,
      otherBlocklist: [],
      upgrade: null,
      revision: 1,
      day: 1,
      trustedCas: [CA],
      issuer: {
        id: "ca-a",
        fingerprint: "",
        certVersion: 1 as const,
        notBefore: new Date(0),
        notAfter: new Date(1),
      },
    };
    const after = { ...before, ...Object.fromEntries(changed.map((part) => [part, other[part]])) };
    return [
      { ...fixed, ...before },
      { ...fixed, ...after, revision: 2 },
    ];
  });

const hosts: CompiledHost[] = [0, 1, 2, 3, 4, 5, 6, 7].map((index) => ({
  id: `host-${index}`,
  name: `host-${index}`,
  addresses: [`10.0.0.${10 + index}`],
  roleID: [null, "role-a", "role-b"][index % 3]!,
  tags: [[], ["x:1"], ["x:2"], ["x:1", "x:2"]][index % 4]!,
  staticAddresses: [],
  listenPort: 0,
  isLighthouse: false,
  isRelay: false,
  configOverrides: [],
}));

describe("the hosts affected by a change", () => {
  it("include every host whose configuration or certificate changes", () => {
    fc.assert(
      fc.property(twoSnapshots, fc.constantFrom("1.6.1", "1.9.3"), ([before, after], version) => {
        const affected = affectedHosts(before, after);
        for (const host of hosts) {
          const [old, now] = [desiredState(before, host, version), desiredState(after, host, version)];
          const isChanged = old.configHash !== now.configHash || old.identityHash !== now.identityHash;
          const isAffected =
            affected === "all" ||
            affected.hostIDs.has(host.id) ||
            (host.roleID !== null && affected.roleIDs.has(host.roleID)) ||
            host.tags.some((name) => affected.tags.has(name));
          if (isChanged) expect([host.id, isAffected]).toEqual([host.id, true]);
        }
      }),
      { numRuns: 500 },
    );
  }, 120_000);

  it("are none if only the revision changed", () => {
    fc.assert(
      fc.property(twoSnapshots, ([before]) => {
        const [same, again] = [structuredClone(before), structuredClone({ ...before, revision: 9 })];
        const affected = affectedHosts(same, again);
        expect(affected).toEqual({ roleIDs: new Set(), tags: new Set(), hostIDs: new Set() });
      }),
    );
  });
});

it("the cached desired state of similar hosts, and of a host before and after a change, equals the desired state", () => {
  const special: Partial<CompiledHost>[] = [
    {},
    { name: "renamed" },
    { addresses: ["10.0.0.200"] },
    { listenPort: 4242 },
    { isRelay: true, listenPort: 4242 },
    { isLighthouse: true, listenPort: 4242, staticAddresses: ["192.0.2.9:4242"] },
    { staticAddresses: ["192.0.2.9:4242"] },
    { configOverrides: [{ key: "logging.level", value: "debug" }] },
  ];
  const all = hosts.flatMap((host) => special.map((settings) => ({ ...host, ...settings })));
  fc.assert(
    fc.property(twoSnapshots, ([snapshot]) => {
      const cachedState = createDesiredStates();
      for (const version of ["1.6.1", "1.11.0", undefined])
        for (const host of all)
          expect(cachedState(snapshot, host, version)).toEqual(desiredState(snapshot, host, version));
    }),
    { numRuns: 50 },
  );
}, 120_000);

describe("the configuration that the server sends is accepted by Nebula", () => {
  let server: TestServer;
  const folder = mkdtempSync(join(tmpdir(), "lightkeeper-control-"));
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await server.close();
  });

  it.each(binaries)("$version", async ({ version, nebula }) => {
    const owner = await server.signUp();
    const fleet = await createFleet(server, owner);
    const role = await owner.call(createRole, {
      body: { name: "Web", firewallRules: [{ protocol: "TCP", portRange: { from: 80, to: 90 } }] },
    });
    const router = await fleet.add({ roleID: role.id, name: "router" });
    const route = await owner.call(createRoute, {
      body: {
        name: "Office",
        routerHostID: router.id,
        routableCIDRs: { "192.168.1.0/24": { install: true } },
        firewallRules: [{ protocol: "ANY", localCIDR: "0.0.0.0/0" }],
      },
    });
    await owner.call(createTag, {
      body: {
        name: "a:b",
        configOverrides: [{ key: "logging.level", value: "debug" }],
        routeSubscriptions: [route.id],
      },
    });
    const blocked = await fleet.add({ name: "blocked" });
    await TestAgent.enrollHost(server.url, owner, blocked.id);
    await TestAgent.enrollHost(server.url, owner, blocked.id);
    const testHosts = [
      router,
      await fleet.add({ name: "plain", tags: ["a:b"], roleID: role.id }),
      await fleet.add({
        name: "lighthouse",
        isLighthouse: true,
        listenPort: 4242,
        staticAddresses: ["127.0.0.1:4242"],
      }),
      await fleet.add({
        name: "relay",
        isRelay: true,
        listenPort: 4243,
        staticAddresses: ["127.0.0.1:4243"],
      }),
    ];
    await owner.call(updateNetworkV2, {
      params: { networkID: fleet.networkID },
      body: { name: `Real ${version}`, lighthousesAsRelays: true },
    });
    for (const { id, name } of testHosts) {
      const userAgent = `lightkeeper-agent/1.0.0 (linux; arm64) nebula/${version}`;
      const agent = await TestAgent.enrollHost(server.url, owner, id, userAgent);
      const { config, tunnelKey, certificate } = agent.state;
      await agent.update("DoConfigUpdate");
      const key = tunnelKey.privatePem;
      for (const yaml of [
        insertIdentity(config, { key }),
        insertIdentity(agent.state.config, { key, certificate }),
      ]) {
        const file = join(folder, "config.yaml");
        writeFileSync(file, yaml);
        const { status } = spawnSync(nebula, ["-test", "-config", file]);
        expect([name, status]).toEqual([name, 0]);
      }
    }
  });
});
