import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  PRIVATE_RANGES,
  cidrContains,
  cidrsOverlap,
  formatCidr,
  formatIpv4,
  hostCapacity,
  isAligned,
  isCidr,
  maskToPrefixLength,
  nextFreeCidr,
  parseCidr,
  parseIpv4,
  prefixLengthToMask,
} from "./addresses.ts";
import type { Cidr } from "./addresses.ts";

const addresses = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const cidrs = fc.record({ address: addresses, prefixLength: fc.integer({ min: 0, max: 32 }) });

function cidr(text: string): Cidr {
  const parsed = parseCidr(text);
  if (parsed === undefined) throw new Error(`${text} is no CIDR`);
  return parsed;
}

function range({ address, prefixLength }: Cidr): { first: number; last: number } {
  const size = 2 ** (32 - prefixLength);
  const first = Math.floor(address / size) * size;
  return { first, last: first + size - 1 };
}

describe("an IPv4 address", () => {
  it.each([
    ["0.0.0.0", 0],
    ["10.0.0.1", 0x0a000001],
    ["128.0.0.0", 0x80000000],
    ["255.255.255.255", 0xffffffff],
  ])("is parsed from %s as an unsigned number", (text, address) => {
    expect(parseIpv4(text)).toBe(address);
    expect(formatIpv4(address)).toBe(text);
  });

  it.each([
    "",
    "1.2.3",
    "1.2.3.4.5",
    "1.2.3.256",
    "01.2.3.4",
    "1.2.3.00",
    "1.2.3.-4",
    "1.2.3.+4",
    " 1.2.3.4",
    "1.2.3.4\n",
    "1.2..4",
    "0x1.2.3.4",
    "1e1.2.3.4",
    "1.2.3.٤",
    "::1",
  ])("rejects %j", (text) => {
    expect(parseIpv4(text)).toBeUndefined();
  });

  it("is parsed from its own text", () => {
    fc.assert(fc.property(addresses, (address) => parseIpv4(formatIpv4(address)) === address));
  });
});

describe("a CIDR", () => {
  it.each([
    "10.0.0.0",
    "10.0.0.0/",
    "/8",
    "10.0.0.0/33",
    "10.0.0.0/08",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "10.0.0/8",
  ])("rejects %j", (text) => {
    expect(parseCidr(text)).toBeUndefined();
  });

  it("is parsed from its own text, aligned or not", () => {
    fc.assert(
      fc.property(cidrs, (value) => {
        expect(parseCidr(formatCidr(value))).toEqual(value);
      }),
    );
  });

  it("is aligned when its address is the first of its block", () => {
    fc.assert(fc.property(cidrs, (value) => isAligned(value) === (range(value).first === value.address)));
  });

  it("is invalid if its numbers are out of range", () => {
    expect(isCidr({ address: 2 ** 32 - 1, prefixLength: 32 })).toBe(true);
    expect(isCidr({ address: 2 ** 32, prefixLength: 32 })).toBe(false);
    expect(isCidr({ address: -1, prefixLength: 32 })).toBe(false);
    expect(isCidr({ address: 0.5, prefixLength: 32 })).toBe(false);
    expect(isCidr({ address: 0, prefixLength: 33 })).toBe(false);
    expect(isCidr({ address: 0, prefixLength: -1 })).toBe(false);
    expect(isCidr({ address: 0, prefixLength: 22.5 })).toBe(false);
  });

  it.each([
    [0, 0],
    [1, 0x80000000],
    [22, 0xfffffc00],
    [32, 0xffffffff],
  ])("has the right mask for /%i", (prefixLength, mask) => {
    expect(prefixLengthToMask(prefixLength)).toBe(mask);
    expect(maskToPrefixLength(mask)).toBe(prefixLength);
  });

  it("has no prefix length for a mask with gaps or too many bits", () => {
    for (const mask of [1, 0x7fffffff, 0xff00ff00, 0xfffffffd, 2 ** 32, 2 ** 33]) {
      expect(maskToPrefixLength(mask)).toBeUndefined();
    }
  });

  it.each([
    ["0.0.0.0/0", 2 ** 32 - 2],
    ["100.100.0.0/22", 1022],
    ["10.0.0.0/30", 2],
    ["10.0.0.0/31", 0],
    ["10.0.0.1/32", 0],
  ])("%s has a capacity of %i hosts", (text, capacity) => {
    expect(hostCapacity(cidr(text))).toBe(capacity);
  });

  it("contains exactly the blocks whose first and last address are in it", () => {
    fc.assert(
      fc.property(nearbyPairs(), ([outer, inner]) => {
        const [a, b] = [range(outer), range(inner)];
        expect(cidrContains(outer, inner)).toBe(a.first <= b.first && b.last <= a.last);
      }),
    );
  });

  it("overlaps exactly the blocks it shares an address with", () => {
    fc.assert(
      fc.property(nearbyPairs(), ([left, right]) => {
        const [a, b] = [range(left), range(right)];
        expect(cidrsOverlap(left, right)).toBe(a.first <= b.last && b.first <= a.last);
      }),
    );
  });

  it("has the private ranges", () => {
    expect(PRIVATE_RANGES.map(formatCidr)).toEqual([
      "10.0.0.0/8",
      "172.16.0.0/12",
      "192.168.0.0/16",
      "100.64.0.0/10",
    ]);
  });
});

describe("the next free block", () => {
  const within = cidr("100.100.0.0/16");

  function next(taken: readonly string[], prefixLength = 22, pool = within): string | undefined {
    const free = nextFreeCidr({ within: pool, prefixLength, taken: taken.map(cidr) });
    return free && formatCidr(free);
  }

  it("is the first of an empty pool", () => {
    expect(next([])).toBe("100.100.0.0/22");
  });

  it("follows taken blocks, whatever their order", () => {
    expect(next(["100.100.4.0/22", "100.100.0.0/22"])).toBe("100.100.8.0/22");
  });

  it("fills the lowest gap", () => {
    expect(next(["100.100.0.0/22", "100.100.8.0/22"])).toBe("100.100.4.0/22");
  });

  it("stays aligned after a smaller network", () => {
    expect(next(["100.100.0.0/30"])).toBe("100.100.4.0/22");
  });

  it("skips a network with others inside it", () => {
    expect(next(["100.100.0.0/18", "100.100.1.0/24"])).toBe("100.100.64.0/22");
  });

  it("avoids a network that isn't aligned", () => {
    expect(next(["100.100.3.7/22"])).toBe("100.100.4.0/22");
  });

  it("ignores networks outside the pool", () => {
    expect(next(["10.0.0.0/8", "192.168.0.0/16"])).toBe("100.100.0.0/22");
  });

  it("does not exist when the pool is taken by a larger network", () => {
    expect(next(["100.64.0.0/10"])).toBeUndefined();
  });

  it("does not exist when it would be larger than the pool or smaller than an address", () => {
    expect(next([], 15)).toBeUndefined();
    expect(next([], 33)).toBeUndefined();
  });

  it("reaches both ends of the address space", () => {
    expect(next([], 0, cidr("0.0.0.0/0"))).toBe("0.0.0.0/0");
    expect(next(["0.0.0.0/1"], 1, cidr("0.0.0.0/0"))).toBe("128.0.0.0/1");
    expect(next(["255.255.255.254/32"], 32, cidr("255.255.255.254/31"))).toBe("255.255.255.255/32");
    expect(next(["255.255.255.254/31"], 32, cidr("255.255.255.254/31"))).toBeUndefined();
  });

  it("is the block that a linear search finds", () => {
    const pool = cidr("10.0.0.0/24");
    const inPool = fc.record({
      address: fc.integer({ min: pool.address - 64, max: pool.address + 319 }),
      prefixLength: fc.integer({ min: 25, max: 32 }),
    });
    const wanted = fc.integer({ min: 24, max: 32 });
    fc.assert(
      fc.property(fc.array(inPool, { maxLength: 12 }), wanted, (taken, prefixLength) => {
        expect(nextFreeCidr({ within: pool, prefixLength, taken })).toEqual(
          searchLinearly(pool, prefixLength, taken),
        );
      }),
      { numRuns: 1000 },
    );
  });

  it("is found among 200,000 taken networks in about the time that sorting them takes", () => {
    const pool = cidr("10.0.0.0/8");
    const taken = Array.from({ length: 200_000 }, (_, index) => ({
      address: pool.address + index * 64,
      prefixLength: 26,
    })).reverse();
    const durationOf = (work: () => unknown) => {
      const startedAt = performance.now();
      work();
      return performance.now() - startedAt;
    };
    const sortingMs = durationOf(() => taken.toSorted((a, b) => a.address - b.address));
    const findingMs = durationOf(() =>
      expect(nextFreeCidr({ within: pool, prefixLength: 26, taken })).toEqual({
        address: pool.address + 200_000 * 64,
        prefixLength: 26,
      }),
    );
    // Comparing all pairs would take thousands of times as long.
    expect(findingMs / sortingMs).toBeLessThan(200);
  });
});

function nearbyPairs(): fc.Arbitrary<[Cidr, Cidr]> {
  return fc
    .tuple(cidrs, fc.integer({ min: 0, max: 31 }), fc.integer({ min: 0, max: 32 }))
    .map(([first, bit, length]) => [
      first,
      { address: (first.address ^ (1 << bit)) >>> 0, prefixLength: length },
    ]);
}

function searchLinearly(pool: Cidr, prefixLength: number, taken: readonly Cidr[]): Cidr | undefined {
  const { first, last } = range(pool);
  for (let address = first; address <= last; address += 2 ** (32 - prefixLength)) {
    const candidate = range({ address, prefixLength });
    const isFree = taken
      .map(range)
      .every((block) => block.last < candidate.first || candidate.last < block.first);
    if (isFree) return { address, prefixLength };
  }
  return undefined;
}
