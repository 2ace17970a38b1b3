import { expect, it } from "vitest";
import { planHosts } from "./host-plan.ts";

const hosts = planHosts();

it("plans 200 hosts with unique names in each network", () => {
  expect(hosts).toHaveLength(200);
  expect(new Set(hosts.map(({ network, name }) => `${network}/${name}`)).size).toBe(200);
});

it("is the same at every start", () => {
  expect(planHosts()).toEqual(hosts);
});

it("gives a few hosts of every network another fate, and no lighthouse, relay or router", () => {
  const count = (kind: string) => hosts.filter(({ fate }) => fate.kind === kind).length;
  expect([count("neverEnrolled"), count("offline"), count("blocked"), count("outOfSync")]).toEqual([
    11, 14, 4, 1,
  ]);
  const infrastructure = hosts.filter(({ is }) => is !== "host");
  expect(infrastructure.filter(({ fate }) => fate.kind === "unstable")).toHaveLength(1);
  expect(infrastructure.every(({ fate }) => fate.kind === "online" || fate.kind === "unstable")).toBe(true);
});

it("creates a host before anything happens to it", () => {
  const happened = hosts.map(({ fate, createdDays }) => {
    if (fate.kind === "offline") return createdDays > fate.lastSeenDays;
    return fate.kind === "blocked" ? createdDays > fate.blockedDays : true;
  });
  expect(happened).not.toContain(false);
});
