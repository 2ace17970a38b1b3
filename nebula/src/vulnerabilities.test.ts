import { expect, it } from "vitest";
import { findVulnerabilities, type VulnerableHost } from "./vulnerabilities.ts";

const idsOf = (host: Partial<VulnerableHost>) =>
  findVulnerabilities({
    nebulaVersion: "1.9.5",
    curve: "25519",
    servesRoutes: false,
    hasIPv6Address: false,
    ...host,
  }).map(({ id, isAffected }) => [id, isAffected]);
const headers = "slackhq/nebula#1789";
const protocols = "slackhq/nebula#1840";

it("finds the vulnerabilities of a version, and whether they affect the host", () => {
  expect(idsOf({})).toEqual([
    ["CVE-2025-62820", false],
    ["GHSA-69x3", false],
  ]);
  expect(idsOf({ servesRoutes: true })).toEqual([
    ["CVE-2025-62820", true],
    ["GHSA-69x3", false],
  ]);
  expect(idsOf({ nebulaVersion: "1.10.2", curve: "P256" })).toEqual([
    ["GHSA-69x3", true],
    [headers, false],
    [protocols, false],
  ]);
  expect(idsOf({ nebulaVersion: "1.11.0", hasIPv6Address: true })).toEqual([[protocols, true]]);
});

it.each([
  ["1.6.1", []],
  ["1.9.3", ["GHSA-69x3"]],
  ["1.9.4", ["CVE-2025-62820", "GHSA-69x3"]],
  ["1.9.6", ["CVE-2025-62820", "GHSA-69x3"]],
  ["1.9.7", ["GHSA-69x3"]],
  ["1.10.3", [headers, protocols]],
  ["1.11.0", [protocols]],
  ["1.11.1", []],
  ["unknown", []],
])("of nebula %s are %j", (nebulaVersion, ids) => {
  expect(idsOf({ nebulaVersion }).map(([id]) => id)).toEqual(ids);
});
