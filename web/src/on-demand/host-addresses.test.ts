import { describe, expect, it } from "vitest";
import { addressProblem, canonicalAddress } from "./host-addresses.ts";
import { optionalIpv4Range } from "./optional-ipv4-range.ts";

const both = ["100.100.0.0/22", "fd12::/64"];

describe("the problem with an address", () => {
  it.each([
    "100.100.0.1",
    "100.100.3.254",
    "fd12::1",
    "FD12:0::ffff:ffff:ffff:ffff",
    "100.100.0.0/22",
    "100.100.2.0/24",
    "fd12::/64",
    "fd12:0:0:0:8000::/72",
  ])("doesn’t exist for %s", (text) => {
    expect(addressProblem(text, both)).toBeUndefined();
  });

  it.each([
    ["100.100.0", "100.100.0 isn’t a valid IP address."],
    ["fd12:::1", "fd12:::1 isn’t a valid IP address."],
    ["100.100.4.1", "100.100.4.1 isn’t a host address in 100.100.0.0/22."],
    ["100.100.0.0", "100.100.0.0 isn’t a host address in 100.100.0.0/22."],
    ["100.100.3.255", "100.100.3.255 isn’t a host address in 100.100.0.0/22."],
    ["fd12::", "fd12:: isn’t a host address in fd12::/64."],
    ["fd13::1", "fd13::1 isn’t a host address in fd12::/64."],
    ["100.100.0.0/21", "100.100.0.0/21 isn’t inside 100.100.0.0/22."],
    ["fd12:0:0:1::/72", "fd12:0:0:1::/72 isn’t inside fd12::/64."],
    ["fd12::7/72", "fd12::7/72 isn’t the start of a range. Enter fd12::/72, or an address."],
  ])("of %s: %s", (text, problem) => {
    expect(addressProblem(text, both)).toBe(problem);
  });

  it("is a family that the network doesn’t have", () => {
    expect(addressProblem("fd12::1", ["100.100.0.0/22"])).toBe(
      "fd12::1 can’t be used: the network has no IPv6 addresses.",
    );
    expect(addressProblem("100.100.0.0/24", ["fd12::/64"])).toBe(
      "100.100.0.0/24 can’t be used: the network has no IPv4 addresses.",
    );
  });

  it("is only its form while the network is unknown", () => {
    expect(addressProblem("8.8.8.8", undefined)).toBeUndefined();
    expect(addressProblem("8.8.8", undefined)).toBe("8.8.8 isn’t a valid IP address.");
  });
});

it("offers IPv4 only if the network also has IPv6", () => {
  expect(optionalIpv4Range(both)).toBe("100.100.0.0/22");
  expect(optionalIpv4Range(["100.100.0.0/22"])).toBeUndefined();
  expect(optionalIpv4Range(["fd12::/64"])).toBeUndefined();
});

it("compares addresses in their canonical form", () => {
  expect(canonicalAddress("FD12:0:0::7")).toBe("fd12::7");
  expect(canonicalAddress("FD12:0::/64")).toBe("fd12::/64");
  expect(canonicalAddress("web-1")).toBe("web-1");
});
