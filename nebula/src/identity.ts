import { parse } from "yaml";
import { FormatError } from "./format-error.ts";
import { writeYaml } from "./yaml-writer.ts";
import type { YamlMap, YamlValue } from "./yaml-writer.ts";

/**
 * Puts into a rendered config what only the host has: its key, as PEM or as the path of a file, and, when the
 * config came without one, its certificate.
 */
export function insertIdentity(
  yaml: string,
  identity: { readonly key: string; readonly certificate?: string | undefined },
): string {
  const config: unknown = parse(yaml);
  if (!isMap(config) || !isMap(config.pki)) throw new FormatError("a config must have a map called pki");
  const { ca, cert, key: _, ...rest } = config.pki;
  return writeYaml({
    ...config,
    pki: { ca, cert: identity.certificate ?? cert, key: identity.key, ...rest },
  });
}

function isMap(value: unknown): value is Record<string, YamlValue> & YamlMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
