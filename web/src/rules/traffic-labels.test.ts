import type { AccessTraffic } from "@lightkeeper/contract";
import { expect, it } from "vitest";
import { parsePort, suggestPorts } from "./typed-port-values.ts";
import { trafficLabel, portServiceLabel, summarizeTraffic } from "./traffic-labels.ts";

const tcp = (from: number, to = from): AccessTraffic => ({ protocol: "TCP", portRange: { from, to } });
const ping: AccessTraffic = { protocol: "ICMP", portRange: null };
const all = (["TCP", "UDP", "ICMP", "OTHER"] as const).map((protocol) => ({ protocol, portRange: null }));

it.each<[string, AccessTraffic[]]>([
  ["TCP 5432 (PostgreSQL)", [tcp(5432)]],
  ["TCP 80 and 443", [tcp(80), tcp(443)]],
  ["TCP 8000-8010 and UDP 53", [tcp(8000, 8010), { protocol: "UDP", portRange: { from: 53, to: 53 } }]],
  ["TCP and UDP 53 (DNS)", [tcp(53), { protocol: "UDP", portRange: { from: 53, to: 53 } }]],
  ["other protocols", [{ protocol: "OTHER", portRange: null }]],
  ["TCP 22 and ICMP", [tcp(22), ping]],
  ["ICMP (ping)", [ping]],
  ["all TCP", [{ protocol: "TCP", portRange: null }]],
  ["everything", all],
  ["later fragments of large packets", [{ protocol: "UDP", portRange: null, fragmentsOnly: true }]],
  ["nothing", []],
])("describes traffic in words: %s", (label, traffic) => {
  expect(trafficLabel(traffic)).toBe(label);
});

it.each([
  [{ depth: "none", port: "", more: 0 }, []],
  [{ depth: "ping", port: "", more: 0 }, [ping]],
  [{ depth: "one", port: "22", more: 0 }, [tcp(22), ping]],
  [{ depth: "one", port: "8000…", more: 0 }, [tcp(8000, 8010)]],
  [{ depth: "several", port: "443", more: 1 }, [tcp(80), tcp(443)]],
  [{ depth: "any", port: "any", more: 0 }, all],
])("summarizes traffic for a cell: %j", (summary, traffic) => {
  expect(summarizeTraffic(traffic)).toEqual(summary);
});

it("reads a port or the name of a service, but no range or list", () => {
  expect(["22", " ssh ", "443"].map(parsePort)).toEqual([22, 22, 443]);
  expect(["", "any", "0", "70000", "80-90", "22,80", "dhcp", "nope"].map(parsePort)).toEqual(
    Array.from({ length: 8 }),
  );
});

it("suggests services and the typed port", () => {
  expect(suggestPorts("ssh")).toEqual([{ value: "22", label: "22 (SSH)" }]);
  expect(suggestPorts("8081")).toEqual([{ value: "8081", label: "8081" }]);
  expect(suggestPorts("5432")).toEqual([{ value: "5432", label: "5432 (PostgreSQL)" }]);
  expect(suggestPorts("").length).toBe(8);
});

it("names the service at a port", () => {
  expect(portServiceLabel("TCP", 5432)).toBe("PostgreSQL");
  expect(portServiceLabel("UDP", 5432)).toBeUndefined();
});
