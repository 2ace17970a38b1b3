/** The traffic of a host in the last 24 hours, in a ring of buckets: the counters of each report are turned into bytes per bucket. */
import { TRAFFIC_BUCKET_SECONDS, TRAFFIC_BUCKETS } from "@lightkeeper/contract";
import type { ReportedTraffic } from "@lightkeeper/contract/agent";

type Buckets = readonly (number | null)[];

export interface Traffic {
  received: Buckets;
  sent: Buckets;
  newest_bucket: number;
  received_counter: number;
  sent_counter: number;
  reported_at: Date;
}

const BUCKET_MS = TRAFFIC_BUCKET_SECONDS * 1000;
/** A host that reports again after a longer time was offline: its counters start over. */
const GAP_MS = BUCKET_MS;

export const bucketOf = (at: Date): number => Math.floor(at.getTime() / BUCKET_MS);
const positionOf = (bucket: number) => bucket % TRAFFIC_BUCKETS;

export function addTraffic(
  previous: Traffic | undefined,
  { receivedBytes, sentBytes }: ReportedTraffic,
  now: Date,
): Traffic {
  const isContinued = previous !== undefined && now.getTime() - previous.reported_at.getTime() <= GAP_MS;
  // A clock that was set back must not move the ring back.
  const newestBucket = Math.max(bucketOf(now), previous?.newest_bucket ?? 0);
  const from = isContinued ? previous.reported_at : now;
  const advance = (buckets: Buckets | undefined, counter: number | undefined, current: number) => {
    const ring = clearUntil(buckets, previous?.newest_bucket, newestBucket);
    const bytes = isContinued && counter !== undefined ? increase(counter, current) : 0;
    return distribute(ring, { bytes, from, to: now });
  };
  return {
    received: advance(previous?.received, previous?.received_counter, receivedBytes),
    sent: advance(previous?.sent, previous?.sent_counter, sentBytes),
    newest_bucket: newestBucket,
    received_counter: receivedBytes,
    sent_counter: sentBytes,
    reported_at: now,
  };
}

/** An interface that was created again counts from zero. */
const increase = (counter: number, current: number) => (current >= counter ? current - counter : current);

/** Replaces the buckets of the day before with empty ones. */
function clearUntil(buckets: Buckets | undefined, from: number | undefined, to: number): (number | null)[] {
  const empty: (number | null)[] = Array.from({ length: TRAFFIC_BUCKETS }, () => null);
  if (buckets === undefined || from === undefined || to - from >= TRAFFIC_BUCKETS) return empty;
  const ring = [...buckets];
  for (let bucket = from + 1; bucket <= to; bucket += 1) ring[positionOf(bucket)] = null;
  return ring;
}

/** Adds the bytes to the buckets of the interval, which are at most two, by the time that it spends in each. */
function distribute(
  ring: (number | null)[],
  { bytes, from, to }: { bytes: number; from: Date; to: Date },
): (number | null)[] {
  const add = (bucket: number, amount: number) => {
    ring[positionOf(bucket)] = (ring[positionOf(bucket)] ?? 0) + amount;
  };
  const boundary = bucketOf(to) * BUCKET_MS;
  const duration = to.getTime() - from.getTime();
  const before = Math.max(0, boundary - from.getTime());
  const earlier = duration > 0 ? Math.round((bytes * before) / duration) : 0;
  if (before > 0) add(bucketOf(to) - 1, earlier);
  add(bucketOf(to), bytes - earlier);
  return ring;
}

/** The buckets of the 24 hours until now, the oldest first. */
export function unrollTraffic(buckets: Buckets, newestBucket: number, now: Date): (number | null)[] {
  const last = bucketOf(now);
  return Array.from({ length: TRAFFIC_BUCKETS }, (_, index) => {
    const bucket = last - TRAFFIC_BUCKETS + 1 + index;
    const isStored = bucket <= newestBucket && bucket > newestBucket - TRAFFIC_BUCKETS;
    return isStored ? (buckets[positionOf(bucket)] ?? null) : null;
  });
}

/** When the first bucket of the 24 hours until now starts. */
export const trafficStart = (now: Date): Date => new Date((bucketOf(now) - TRAFFIC_BUCKETS + 1) * BUCKET_MS);
