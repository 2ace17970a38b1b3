import { describe, expect, it } from "vitest";
import { ASSUMPTIONS, type Constants, computeCapacity, operations, PRODUCT } from "./capacity-model.ts";

const nothing = { serverMs: 0, databaseMs: 0, walBytes: 0 };

/** Nothing costs anything, except for what a test adds. */
const constantsWith = ({
  costs,
  ...more
}: Omit<Partial<Constants>, "costs"> & { costs?: object }): Constants => ({
  measuredAt: "2026-01-01",
  machine: { cpu: "any", cores: 2, memoryGibibytes: 8, node: "20", postgresql: "18" },
  agents: 1000,
  costs: {
    ...(Object.fromEntries(operations.map((name) => [name, nothing])) as Constants["costs"]),
    ...costs,
  },
  idle: { serverCores: 0, databaseCores: 0 },
  memory: { processMebibytes: 0, kibibytesPerAgent: 1, kibibytesPerModelHost: 0 },
  storage: { bytesPerHost: 0, bytesPerAuditEntry: 0, bytesPerMessage: 0 },
  ...more,
});

const MILLION = 1_000_000;

describe("a process", () => {
  it("is limited by CPU if polls need much of it", () => {
    // 1 ms per second and agent: half a core is enough for 500 agents.
    const constants = constantsWith({ costs: { poll: { ...nothing, serverMs: PRODUCT.pollSeconds } } });
    const capacity = computeCapacity(constants, MILLION);
    expect(capacity).toMatchObject({ agentsPerProcess: 500, processLimit: "CPU", processes: 2000 });
    expect(capacity.serverCores).toBeCloseTo(2000);
  });

  it("has less CPU for agents if it needs some itself", () => {
    const constants = constantsWith({
      costs: { poll: { ...nothing, serverMs: PRODUCT.pollSeconds } },
      idle: { serverCores: 0.25, databaseCores: 0 },
    });
    expect(computeCapacity(constants, MILLION).agentsPerProcess).toBe(250);
  });

  it("is limited by memory if agents and access models need much of it", () => {
    const memory = { processMebibytes: 96, kibibytesPerAgent: 100, kibibytesPerModelHost: 1.024 };
    const capacity = computeCapacity(constantsWith({ memory }), MILLION);
    // 4,096 MiB less 96 MiB and 400 MiB for 400,000 hosts in models.
    expect(capacity).toMatchObject({ agentsPerProcess: 36_864, processLimit: "memory", processes: 28 });
    expect(capacity.serverGibibytes).toBeCloseTo((28 * 496 + MILLION * (100 / 1024)) / 1024);
  });

  it("never has more agents than assumed, however cheap they are", () => {
    expect(computeCapacity(constantsWith({}), MILLION)).toMatchObject({
      agentsPerProcess: 50_000,
      processLimit: "agents",
      processes: 20,
      connections: 440,
    });
  });

  it("is rejected if it needs more CPU than it has", () => {
    const constants = constantsWith({ idle: { serverCores: 0.6, databaseCores: 0 } });
    expect(() => computeCapacity(constants, MILLION)).toThrow("CPU");
  });
});

describe("a cluster", () => {
  it("is limited by connections if nothing else costs anything", () => {
    expect(computeCapacity(constantsWith({}), 10 * MILLION)).toMatchObject({
      saturatesFirst: "connections",
      connections: 4400,
      clusters: 5,
    });
  });

  it("is limited by the CPU of the database if reports need much of it", () => {
    // A tenth of a core per 1,000 hosts is 100 cores, of which half is used.
    const report = { ...nothing, databaseMs: 0.1 * PRODUCT.reportSeconds };
    const capacity = computeCapacity(constantsWith({ costs: { report } }), MILLION);
    expect(capacity.databaseCores).toBeCloseTo(200);
    expect(capacity).toMatchObject({ saturatesFirst: "database CPU", clusters: 7, hostsPerCluster: 160_000 });
  });

  it("is limited by WAL if writes are large", () => {
    const report = { ...nothing, walBytes: 105 * PRODUCT.reportSeconds };
    const capacity = computeCapacity(constantsWith({ costs: { report } }), MILLION);
    expect(capacity.walMebibytesPerSecond).toBeCloseTo(100.1, 1);
    expect(capacity).toMatchObject({ saturatesFirst: "WAL", clusters: 3 });
  });

  it("stores hosts, the audit entries of the assumed years and the messages of 15 minutes", () => {
    const gibibytes = (storage: Partial<Constants["storage"]>) =>
      computeCapacity(
        constantsWith({
          storage: { bytesPerHost: 0, bytesPerAuditEntry: 0, bytesPerMessage: 0, ...storage },
        }),
        2 ** 20,
      ).databaseGibibytes;
    expect(gibibytes({ bytesPerHost: 1024 })).toBeCloseTo(1);
    const { perDay, auditYears } = ASSUMPTIONS;
    const entries = (perDay.write + 3 * perDay.enrollment) * 365 * auditYears;
    expect(gibibytes({ bytesPerAuditEntry: 1024 })).toBeCloseTo(entries);
    expect(gibibytes({ bytesPerMessage: 1024 })).toBeCloseTo(900 / 51 + 900 / 300);
  });

  it("has room for the same number of hosts, whatever the total", () => {
    const report = { ...nothing, databaseMs: 0.1 * PRODUCT.reportSeconds };
    const constants = constantsWith({ costs: { report } });
    const [small, large] = [1, 10].map((millions) => computeCapacity(constants, millions * MILLION));
    expect(small?.hostsPerCluster).toBe(large?.hostsPerCluster);
  });
});
