// A map that shares most of its content with the maps that are derived from it: a change copies only the buckets of the
// changed keys.

const KEYS_PER_BUCKET = 32;
/** Keys are distributed again when there are this many times more than planned. */
const GROWTH_MAX = 4;

export class PersistentMap<Value> {
  private readonly buckets: readonly ReadonlyMap<string, Value>[];
  private readonly size: number;

  private constructor(buckets: readonly ReadonlyMap<string, Value>[], size: number) {
    this.buckets = buckets;
    this.size = size;
  }

  static from<Value>(entries: Iterable<readonly [string, Value]>, sizeHint: number): PersistentMap<Value> {
    const count = 2 ** Math.max(0, Math.ceil(Math.log2(sizeHint / KEYS_PER_BUCKET)));
    const buckets = Array.from({ length: count }, () => new Map<string, Value>());
    for (const [key, value] of entries) buckets[bucketOf(key, count)]!.set(key, value);
    return new PersistentMap(
      buckets,
      buckets.reduce((sum, bucket) => sum + bucket.size, 0),
    );
  }

  get(key: string): Value | undefined {
    return this.buckets[bucketOf(key, this.buckets.length)]!.get(key);
  }

  *entries(): Generator<[string, Value]> {
    for (const bucket of this.buckets) yield* bucket;
  }

  /** Undefined deletes a key. */
  change(changes: ReadonlyMap<string, Value | undefined>): PersistentMap<Value> {
    if (changes.size === 0) return this;
    const buckets = [...this.buckets];
    const copies = new Map<number, Map<string, Value>>();
    let size = this.size;
    for (const [key, value] of changes) {
      const position = bucketOf(key, buckets.length);
      const bucket = copies.get(position) ?? new Map(buckets[position]);
      copies.set(position, bucket);
      buckets[position] = bucket;
      size -= bucket.size;
      if (value === undefined) bucket.delete(key);
      else bucket.set(key, value);
      size += bucket.size;
    }
    const changed = new PersistentMap(buckets, size);
    return size > buckets.length * KEYS_PER_BUCKET * GROWTH_MAX
      ? PersistentMap.from(changed.entries(), size)
      : changed;
  }
}

function bucketOf(key: string, count: number): number {
  if (count === 1) return 0;
  let hash = 0;
  for (let index = 0; index < key.length; index += 1)
    hash = (Math.imul(hash, 31) + key.charCodeAt(index)) | 0;
  // IDs that differ only in their last characters must not share the low bits.
  return (hash ^ (hash >>> 15)) & (count - 1);
}
