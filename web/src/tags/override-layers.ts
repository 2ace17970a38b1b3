/** Defaults, then tags from the weakest to the strongest, then the host: the last to say something is heard. */
import type { ConfigOverrides, TagListItem } from "@lightkeeper/contract";

export interface Said {
  /** The tag that says it; undefined: the host itself. */
  tag: string | undefined;
  value: unknown;
}

export interface Effective extends Said {
  key: string;
  /** What would hold without it, weakest first. */
  over: Said[];
}

type Layer = Pick<TagListItem, "name" | "configOverrides">;

/** `tags`: those of a host, weakest first. */
export function effectiveOverrides(tags: readonly Layer[], host: ConfigOverrides): Effective[] {
  const said = new Map<string, Said[]>();
  const say = (overrides: ConfigOverrides, tag: string | undefined) => {
    for (const { key, value } of overrides) said.set(key, [...(said.get(key) ?? []), { tag, value }]);
  };
  for (const { name, configOverrides } of tags) say(configOverrides, name);
  say(host, undefined);
  return [...said]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .flatMap(([key, all]) => {
      const last = all.at(-1);
      return last ? [{ key, ...last, over: all.slice(0, -1) }] : [];
    });
}

/** Which other tags say something about a setting too, and whether they win over this one. */
export function rivals(
  tags: readonly Layer[],
  own: string | undefined,
  key: string,
): { stronger: Said[]; weaker: Said[] } {
  // A new tag is placed above all others.
  const place = tags.findIndex(({ name }) => name === own);
  const at = place < 0 ? tags.length : place;
  const saying = (some: readonly Layer[]): Said[] =>
    some.flatMap(({ name, configOverrides }) =>
      configOverrides.filter((one) => one.key === key).map(({ value }) => ({ tag: name, value })),
    );
  return { weaker: saying(tags.slice(0, at)), stronger: saying(tags.slice(at + 1)) };
}
