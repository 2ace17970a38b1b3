// Applies overrides to the defaults: tags from the lowest to the highest priority, then the host. A later value replaces
// an earlier one completely.

import { validateOverride } from "./overrides.ts";
import type { ConfigOverride } from "./overrides.ts";
import type { YamlMap, YamlValue } from "./yaml-writer.ts";

export interface OverridingTag {
  readonly name: string;
  readonly priority: number;
  readonly configOverrides: readonly ConfigOverride[];
}

export interface OmittedOverride {
  readonly kind: "override";
  readonly key: string;
  readonly source: { readonly kind: "tag"; readonly name: string } | { readonly kind: "host" };
  /** The reason, as a sentence. */
  readonly sentence: string;
}

/** Settings that Nebula requires for each stats.type. */
const STATS_DEFAULTS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  graphite: [
    ["stats.host", "127.0.0.1:2003"],
    ["stats.interval", "10s"],
    ["stats.prefix", "nebula"],
  ],
  prometheus: [
    ["stats.interval", "10s"],
    ["stats.listen", "127.0.0.1:8080"],
    ["stats.path", "/metrics"],
  ],
};

/** `validateInContext` returns the problem of a valid override in this configuration. */
export function applyOverrides(
  defaults: YamlMap,
  tags: readonly OverridingTag[],
  hostOverrides: readonly ConfigOverride[],
  validateInContext: (key: string, value: YamlValue) => string | undefined,
): { config: YamlMap; omitted: OmittedOverride[] } {
  const omitted: OmittedOverride[] = [];
  const values = new Map<string, YamlValue>();
  const apply = (overrides: readonly ConfigOverride[], source: OmittedOverride["source"]) => {
    for (const { key, value } of overrides) {
      const sentence = validateOverride(key, value) ?? validateInContext(key, value as YamlValue);
      if (sentence === undefined) values.set(key, sortKeys(value as YamlValue));
      else omitted.push({ kind: "override", key, source, sentence });
    }
  };
  const byPriority = tags.toSorted((a, b) => a.priority - b.priority || (a.name < b.name ? -1 : 1));
  for (const { name, configOverrides } of byPriority) apply(configOverrides, { kind: "tag", name });
  apply(hostOverrides, { kind: "host" });

  const statsType = values.get("stats.type");
  const required = typeof statsType === "string" ? STATS_DEFAULTS[statsType] : undefined;
  for (const [key, value] of required ?? []) {
    if (!values.has(key)) values.set(key, value);
  }
  const sorted = [...values].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    config: sorted.reduce((config, [key, value]) => withValue(config, key.split("."), value), defaults),
    omitted,
  };
}

function withValue(map: YamlMap, [name = "", ...rest]: readonly string[], value: YamlValue): YamlMap {
  const inner = map[name];
  return { ...map, [name]: rest.length === 0 ? value : withValue(isMap(inner) ? inner : {}, rest, value) };
}

/** The database doesn't preserve the order of keys. */
function sortKeys(value: YamlValue): YamlValue {
  if (!isMap(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([key, inner]) => [key, inner === undefined ? inner : sortKeys(inner)]),
  );
}

function isMap(value: YamlValue | undefined): value is YamlMap {
  return typeof value === "object" && !Array.isArray(value);
}
