/** The bytes that a host has received and sent: more during the day, and never fewer than before. */
import { fractionOf } from "../fraction.ts";

const DAY_SECONDS = 86_400;
/** When the counters were zero, in seconds since 1970. */
const START_SECONDS = 1_750_000_000;
/** When most traffic is sent, in seconds since midnight UTC. */
const PEAK_SECONDS = 14 * 3600;
const BYTES_PER_SECOND_MIN = 200;
const BYTES_PER_SECOND_SPAN = 60_000;

/** Waves by which the rate differs from its average; together they are less than it. */
const WAVES = [
  { perDay: 1, height: 0.6 },
  { perDay: 7, height: 0.14 },
  { perDay: 29, height: 0.12 },
];

function countBytes(name: string, atMs: number): number {
  // Few hosts have most of the traffic.
  const rate = BYTES_PER_SECOND_MIN + BYTES_PER_SECOND_SPAN * fractionOf(name) ** 3;
  const seconds = atMs / 1000;
  // The integral of a rate that follows cosines.
  const swing = WAVES.reduce((sum, { perDay, height }) => {
    const turn = DAY_SECONDS / (2 * Math.PI * perDay);
    const shift = perDay === 1 ? 0 : fractionOf(`${perDay} ${name}`) * DAY_SECONDS;
    return sum + height * turn * Math.sin((seconds - PEAK_SECONDS - shift) / turn);
  }, 0);
  return Math.floor(rate * (seconds - START_SECONDS + swing));
}

export const trafficAt = (key: string, atMs: number) => ({
  receivedBytes: countBytes(`received ${key}`, atMs),
  sentBytes: countBytes(`sent ${key}`, atMs),
});
