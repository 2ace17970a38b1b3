import { TRAFFIC_BUCKETS } from "@lightkeeper/contract";
import { describe, expect, it } from "vitest";
import { addTraffic, type Traffic, trafficStart, unrollTraffic } from "./host-traffic.ts";

const at = (time: string) => new Date(`2026-11-17T${time}Z`);
const counters = (receivedBytes: number, sentBytes = 0) => ({ receivedBytes, sentBytes });

/** The buckets of the last day that have a value, by their start. */
function valuesAt(now: Date, traffic: Traffic, key: "received" | "sent" = "received") {
  const start = trafficStart(now).getTime();
  const buckets = unrollTraffic(traffic[key], traffic.newest_bucket, now);
  expect(buckets).toHaveLength(TRAFFIC_BUCKETS);
  return Object.fromEntries(
    buckets.flatMap((bytes, index) => {
      const time = new Date(start + index * 900_000).toISOString().slice(11, 16);
      return bytes === null ? [] : [[time, bytes]];
    }),
  );
}

describe("the traffic of a host", () => {
  it("starts with the first report, whose counters are from before", () => {
    const traffic = addTraffic(undefined, counters(5000, 7), at("10:01:00"));
    expect(valuesAt(at("10:01:00"), traffic)).toEqual({ "10:00": 0 });
    expect(traffic).toMatchObject({ received_counter: 5000, sent_counter: 7 });
  });

  it("adds what the counters have grown by, in both directions", () => {
    let traffic = addTraffic(undefined, counters(100, 10), at("10:00:00"));
    traffic = addTraffic(traffic, counters(150, 11), at("10:05:00"));
    traffic = addTraffic(traffic, counters(350, 14), at("10:10:00"));
    expect(valuesAt(at("10:10:00"), traffic)).toEqual({ "10:00": 250 });
    expect(valuesAt(at("10:10:00"), traffic, "sent")).toEqual({ "10:00": 4 });
  });

  it("is divided between two buckets by time", () => {
    const before = addTraffic(undefined, counters(0), at("10:14:00"));
    const traffic = addTraffic(before, counters(500), at("10:19:00"));
    expect(valuesAt(at("10:19:00"), traffic)).toEqual({ "10:00": 100, "10:15": 400 });
  });

  it("counts from zero if the interface was created again", () => {
    const before = addTraffic(undefined, counters(900), at("10:00:00"));
    const traffic = addTraffic(before, counters(30), at("10:05:00"));
    expect(valuesAt(at("10:05:00"), traffic)).toEqual({ "10:00": 30 });
  });

  it("has a gap for the time in which the host didn't report", () => {
    const before = addTraffic(undefined, counters(0), at("10:00:00"));
    const after = addTraffic(before, counters(9000), at("11:00:00"));
    const traffic = addTraffic(after, counters(9001), at("11:05:00"));
    expect(valuesAt(at("11:05:00"), traffic)).toEqual({ "10:00": 0, "11:00": 1 });
  });

  it("keeps the last 24 hours only", () => {
    const yesterday = addTraffic(undefined, counters(0), new Date("2026-11-16T10:00:00Z"));
    expect(valuesAt(at("09:59:00"), yesterday)).toEqual({ "10:00": 0 });
    expect(valuesAt(at("10:00:00"), yesterday)).toEqual({});
    expect(valuesAt(at("10:05:00"), addTraffic(yesterday, counters(4), at("10:05:00")))).toEqual({
      "10:00": 0,
    });
  });

  it("doesn't lose newer buckets if the clock is set back", () => {
    const before = addTraffic(undefined, counters(0), at("10:20:00"));
    const traffic = addTraffic(before, counters(7), at("10:10:00"));
    expect(valuesAt(at("10:20:00"), traffic)).toEqual({ "10:00": 7, "10:15": 0 });
  });
});
