/** The bytes that a host has received and sent: more during the day, and never fewer than before. */
import { fractionOf } from "./topology.ts";

const DAY_SECONDS = 86_400;
/** When the counters were zero, in seconds since 1970. */
const START_SECONDS = 1_750_000_000;
/** How much the rate differs from its average in the course of a day. */
const SWING = 0.8;
const BYTES_PER_SECOND_MIN = 200;
const BYTES_PER_SECOND_SPAN = 60_000;

function countBytes(name: string, atMs: number): number {
  // Few hosts have most of the traffic.
  const rate = BYTES_PER_SECOND_MIN + BYTES_PER_SECOND_SPAN * fractionOf(name) ** 3;
  const seconds = atMs / 1000;
  // The integral of a rate that follows a sine.
  const turn = DAY_SECONDS / (2 * Math.PI);
  const phase = (seconds + fractionOf(`phase ${name}`) * DAY_SECONDS * 0.2) / turn;
  return Math.floor(rate * (seconds - START_SECONDS - SWING * turn * Math.cos(phase)));
}

export const trafficAt = (key: string, atMs: number) => ({
  receivedBytes: countBytes(`received ${key}`, atMs),
  sentBytes: countBytes(`sent ${key}`, atMs),
});
