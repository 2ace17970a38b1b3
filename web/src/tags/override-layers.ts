/** The host, then its tags from the highest priority to the lowest, then the defaults: the first that sets an option wins. */
import type { ConfigOverrides, TagListItem } from "@lightkeeper/contract";

export interface SettingSource {
  /** The tag that has the setting; undefined for the host itself. */
  tag: string | undefined;
  value: unknown;
}

export interface EffectiveOverride extends SettingSource {
  key: string;
  /** Values that don't apply, highest priority first. */
  overridden: SettingSource[];
}

type Layer = Pick<TagListItem, "name" | "configOverrides">;

/** `tags` are the tags of the host, highest priority first. */
export function effectiveOverrides(tags: readonly Layer[], host: ConfigOverrides): EffectiveOverride[] {
  const sourcesByKey = new Map<string, SettingSource[]>();
  const addSources = (overrides: ConfigOverrides, tag: string | undefined) => {
    for (const { key, value } of overrides)
      sourcesByKey.set(key, [...(sourcesByKey.get(key) ?? []), { tag, value }]);
  };
  addSources(host, undefined);
  for (const { name, configOverrides } of tags) addSources(configOverrides, name);
  return [...sourcesByKey]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .flatMap(([key, sources]) => {
      const [first, ...overridden] = sources;
      return first ? [{ key, ...first, overridden }] : [];
    });
}

/** The other tags with the same setting: those that win over the tag, and those that lose. */
export function conflictingTags(
  tags: readonly Layer[],
  tagName: string | undefined,
  key: string,
): { higher: SettingSource[]; lower: SettingSource[] } {
  // A new tag has index -1: it is above all others.
  const index = tags.findIndex(({ name }) => name === tagName);
  const sourcesIn = (layers: readonly Layer[]): SettingSource[] =>
    layers.flatMap(({ name, configOverrides }) =>
      configOverrides.filter((override) => override.key === key).map(({ value }) => ({ tag: name, value })),
    );
  return { higher: sourcesIn(tags.slice(0, Math.max(index, 0))), lower: sourcesIn(tags.slice(index + 1)) };
}
