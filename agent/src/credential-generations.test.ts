import { expect, it } from "vitest";
import { earlierStates, rememberGeneration } from "./credential-generations.ts";
import type { State } from "./state.ts";

const generation = (counter: number) => ({
  counter,
  hostKey: `key-${counter}`,
  trustedKeys: `trusted-${counter}`,
});
const current = (counter: number, previous?: State["previous"]): State => ({
  format: 1,
  server: "https://lightkeeper.example",
  nebula: "nebula",
  hostID: "host-A",
  ...generation(counter),
  organization: { id: "org-1", name: "Example" },
  network: { id: "network-1", name: "Network1", curve: "25519", cidr: "", cidrs: [] },
  host: { id: "host-A", name: "web-1", ipAddress: "", ipAddresses: [] },
  enrolledAt: "2026-01-01T00:00:00.000Z",
  intended: { config: "pki: {}", certificate: "", nebulaKey: "secret" },
  lastGood: null,
  ...(previous && { previous }),
});

it("a state from an older agent has no earlier generations and becomes the first generation", () => {
  expect(earlierStates(current(3))).toEqual([]);
  expect(rememberGeneration(current(3))).toEqual([generation(3)]);
});

it("earlier generations are tried newest first, each with the server keys of its time", () => {
  const states = earlierStates(current(3, [generation(2), generation(1)]));
  expect(states.map(({ counter, hostKey, trustedKeys }) => ({ counter, hostKey, trustedKeys }))).toEqual([
    generation(2),
    generation(1),
  ]);
});

it("generations that a restored server rejects are kept: a newer backup may accept them", () => {
  const [, used] = earlierStates(current(3, [generation(2), generation(1)]));
  expect(rememberGeneration(used!)).toEqual([generation(1), generation(3), generation(2)]);
});

it("the oldest generations are dropped", () => {
  const many = Array.from({ length: 30 }, (_, index) => generation(30 - index));
  const remembered = rememberGeneration(current(31, many));
  expect(remembered).toHaveLength(20);
  expect(remembered[0]).toEqual(generation(31));
});
