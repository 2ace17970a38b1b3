/** The host, then its tags from the highest priority to the lowest, then the defaults: the first that sets an option wins. */
import type { ConfigOverrides, TagListItem } from "@lightkeeper/contract";

export interface Said {
  /** The tag that says it; undefined: the host itself. */
  tag: string | undefined;
  value: unknown;
}

export interface Effective extends Said {
  key: string;
  /** What would apply without it, highest priority first. */
  over: Said[];
}

type Layer = Pick<TagListItem, "name" | "configOverrides">;

/** `tags`: those of a host, highest priority first. */
export function effectiveOverrides(tags: readonly Layer[], host: ConfigOverrides): Effective[] {
  const said = new Map<string, Said[]>();
  const say = (overrides: ConfigOverrides, tag: string | undefined) => {
    for (const { key, value } of overrides) said.set(key, [...(said.get(key) ?? []), { tag, value }]);
  };
  say(host, undefined);
  for (const { name, configOverrides } of tags) say(configOverrides, name);
  return [...said]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .flatMap(([key, all]) => {
      const [first, ...over] = all;
      return first ? [{ key, ...first, over }] : [];
    });
}

/** Which other tags say something about a setting too, and whether they win over this one. */
export function rivals(
  tags: readonly Layer[],
  own: string | undefined,
  key: string,
): { higher: Said[]; lower: Said[] } {
  // A new tag is placed above all others.
  const place = tags.findIndex(({ name }) => name === own);
  const saying = (some: readonly Layer[]): Said[] =>
    some.flatMap(({ name, configOverrides }) =>
      configOverrides.filter((one) => one.key === key).map(({ value }) => ({ tag: name, value })),
    );
  return { higher: saying(tags.slice(0, Math.max(place, 0))), lower: saying(tags.slice(place + 1)) };
}
