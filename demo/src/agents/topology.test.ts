import { expect, it } from "vitest";
import { planHosts } from "../organization/host-plan.ts";
import { keyOf, planConnections } from "./topology.ts";
import { trafficAt } from "./traffic.ts";

const hosts = planHosts();
const byKey = new Map(hosts.map((host) => [keyOf(host), host]));
const connections = planConnections(hosts);

it("connects hosts of one network only, each pair once", () => {
  for (const { ends } of connections) {
    const [a, b] = ends.map((end) => byKey.get(end));
    expect(a?.network).toBe(b?.network);
    expect(a).not.toBe(b);
  }
  const pairs = connections.map(({ ends }) => ends.toSorted().join(" "));
  expect(new Set(pairs).size).toBe(pairs.length);
});

it("connects every host to each lighthouse of its network", () => {
  const pairs = new Set(connections.flatMap(({ ends: [a, b] }) => [`${a} ${b}`, `${b} ${a}`]));
  for (const host of hosts.filter(({ is }) => is !== "lighthouse"))
    for (const lighthouse of hosts.filter(
      ({ is, network }) => is === "lighthouse" && network === host.network,
    ))
      expect(pairs).toContain(`${keyOf(host)} ${keyOf(lighthouse)}`);
});

it("relays some tunnels, through a relay that both ends are connected to", () => {
  const relayed = connections.filter(({ relay }) => relay !== undefined);
  expect(relayed.length).toBeGreaterThan(5);
  expect(relayed.length).toBeLessThan(connections.length / 4);
  const pairs = new Set(connections.flatMap(({ ends: [a, b] }) => [`${a} ${b}`, `${b} ${a}`]));
  for (const { ends, relay } of relayed) {
    expect(byKey.get(relay ?? "")?.is).toBe("relay");
    for (const end of ends) expect(pairs).toContain(`${end} ${relay}`);
  }
});

it("counts traffic that never shrinks", () => {
  const startMs = Date.parse("2026-11-17T00:00:00Z");
  const counters = Array.from({ length: 200 }, (_, index) =>
    trafficAt("production/web-fra-001", startMs + index * 900_000),
  );
  expect(counters[0]?.receivedBytes).toBeGreaterThan(0);
  for (const [index, { receivedBytes, sentBytes }] of counters.entries()) {
    expect(receivedBytes).toBeGreaterThanOrEqual(counters[index - 1]?.receivedBytes ?? 0);
    expect(sentBytes).toBeGreaterThanOrEqual(counters[index - 1]?.sentBytes ?? 0);
  }
});
