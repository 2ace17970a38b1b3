import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cidrContains } from "./addresses.ts";
import {
  compareIpPrefixes,
  formatIp,
  formatIpPrefix,
  ipPrefixContains,
  maskIpPrefix,
  parseIp,
  parseIpPrefix,
  toIpPrefix,
} from "./ip-prefixes.ts";
import type { IpPrefix } from "./ip-prefixes.ts";

describe("an address of either family", () => {
  it.each([
    ["10.0.0.1", "10.0.0.1"],
    ["255.255.255.255", "255.255.255.255"],
    ["::", "::"],
    ["::1", "::1"],
    ["fd00::1d", "fd00::1d"],
    ["FDEF:00c0:00C0:0001:0000::", "fdef:c0:c0:1::"],
    ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
    ["1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"],
    ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"],
  ])("parses %s and formats it as %s", (text, formatted) => {
    const address = parseIp(text);
    expect(address && formatIp(address)).toBe(formatted);
  });

  it.each([
    "",
    "1.2.3",
    "01.2.3.4",
    ":",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7:8::",
    "12345::",
    "g::",
    "fe80::1%eth0",
    "::ffff:1.2.3.4",
    "::ffff:102:304",
    ":1:2:3:4:5:6:7",
    " ::1",
  ])("rejects %j", (text) => {
    expect(parseIp(text)).toBeUndefined();
  });

  it("is parsed from its own text", () => {
    const addresses = fc.oneof(bytesOf(4), bytesOf(16)).filter((address) => address[10] !== 0xff);
    fc.assert(
      fc.property(addresses, (address) => {
        expect(parseIp(formatIp(address))).toEqual(address);
      }),
    );
  });
});

describe("a network of either family", () => {
  it.each(["10.0.0.0", "10.0.0.0/33", "fd00::/129", "fd00::/", "fd00::/08", "fd00::/-1", "fd00::/8/8"])(
    "rejects %j",
    (text) => {
      expect(parseIpPrefix(text)).toBeUndefined();
    },
  );

  it("contains the same addresses as the IPv4 network, and none of the other family", () => {
    const cidrs = fc.record({
      address: fc.integer({ min: 0x0a000000, max: 0x0a00ffff }),
      prefixLength: fc.integer({ min: 0, max: 32 }),
    });
    fc.assert(
      fc.property(cidrs, cidrs, (outer, inner) => {
        expect(ipPrefixContains(toIpPrefix(outer), toIpPrefix(inner))).toBe(cidrContains(outer, inner));
      }),
    );
    expect(ipPrefixContains(prefix("::/0"), prefix("10.0.0.0/8"))).toBe(false);
    expect(ipPrefixContains(prefix("fd00::/9"), prefix("fd7f::/16"))).toBe(true);
    expect(ipPrefixContains(prefix("fd00::/9"), prefix("fd80::/16"))).toBe(false);
  });

  it("has no bits after its prefix when masked", () => {
    expect(formatIpPrefix(maskIpPrefix(prefix("10.1.255.3/17")))).toBe("10.1.128.0/17");
    expect(formatIpPrefix(maskIpPrefix(prefix("fd00:ffff::1/20")))).toBe("fd00:f000::/20");
    expect(formatIpPrefix(maskIpPrefix(prefix("1.2.3.4/0")))).toBe("0.0.0.0/0");
  });

  it("is ordered by family, address and length", () => {
    const ordered = ["1.0.0.0/8", "1.0.0.0/9", "2.0.0.0/8", "::/0", "1::/16"];
    const sorted = ordered.toReversed().map(prefix).toSorted(compareIpPrefixes);
    expect(sorted.map(formatIpPrefix)).toEqual(ordered);
  });
});

function bytesOf(length: number): fc.Arbitrary<Uint8Array> {
  return fc.uint8Array({ minLength: length, maxLength: length });
}

function prefix(text: string): IpPrefix {
  const parsed = parseIpPrefix(text);
  if (parsed === undefined) throw new Error(`${text} is no network`);
  return parsed;
}
