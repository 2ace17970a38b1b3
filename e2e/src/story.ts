/** Suites whose tests are the steps of a story: they keep their order even when the tests of a file are shuffled. */
import { describe } from "vitest";

export function describeStory(name: string, define: () => void): void {
  // oxlint-disable-next-line vitest/valid-describe-callback, vitest/valid-title -- A suite with options, for any name.
  describe(name, { shuffle: false }, define);
}

/**
 * Tells stories in parallel, because they mostly wait. Their steps must be declared with `it.sequential`, which keeps
 * their order.
 */
export function describeParallelStory(name: string, define: () => void): void {
  // oxlint-disable-next-line vitest/valid-describe-callback, vitest/valid-title -- A suite with options, for any name.
  describe(name, { shuffle: false, concurrent: true }, define);
}

/** Tells the same story with each version of Nebula, which replaces %s in the name. */
export function describeStories<Version extends string>(
  versions: readonly Version[],
  name: string,
  define: (version: Version) => void,
): void {
  for (const version of versions) describeStory(name.replace("%s", version), () => define(version));
}
