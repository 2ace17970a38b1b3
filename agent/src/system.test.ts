import { describe, expect, it } from "vitest";
import { describeSystem, readCounters, readOsName, readTraffic } from "./system.ts";

describe("the operating system", () => {
  it.each([
    ['NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\n', "Debian GNU/Linux 12"],
    ["PRETTY_NAME='Alpine Linux v3.20'\n", "Alpine Linux v3.20"],
    ["PRETTY_NAME=Void\n", "Void"],
    ["ID=debian\n", "Linux"],
    ["", "Linux"],
  ])("is read from %j", (osRelease, name) => {
    expect(readOsName(osRelease)).toBe(name);
  });

  it("has a kernel and an architecture", () => {
    expect(describeSystem()).toEqual({
      os: expect.stringMatching(/\w/),
      kernel: expect.stringMatching(/^\d/),
      arch: expect.stringMatching(/^(amd64|arm64)$/),
    });
  });
});

describe("the traffic", () => {
  const INTERFACES = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 111 2 0 0 0 0 0 0 222 2 0 0 0 0 0 0
nebula1:  3344      40    0    0    0     0          0         0  5566      50    0    0    0     0       0          0
nebula10: 1 1 0 0 0 0 0 0 2 1 0 0 0 0 0 0
`;

  it("is read for the interface in the configuration", () => {
    expect(readCounters(INTERFACES, "nebula1")).toEqual({ receivedBytes: 3344, sentBytes: 5566 });
    expect(readCounters(INTERFACES, "nebula10")).toEqual({ receivedBytes: 1, sentBytes: 2 });
    expect(readTraffic({ tun: { dev: "lo" } })).toEqual({
      receivedBytes: expect.any(Number),
      sentBytes: expect.any(Number),
    });
  });

  it("is missing if there is no such interface", () => {
    expect(readCounters(INTERFACES, "nebula")).toBeUndefined();
    expect(readCounters("", "nebula1")).toBeUndefined();
    expect(readTraffic({ tun: { disabled: true } })).toBeUndefined();
    expect(readTraffic({})).toBeUndefined();
  });
});
