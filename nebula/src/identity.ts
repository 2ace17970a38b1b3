import { parse } from "yaml";
import { FormatError } from "./format-error.ts";
import { writeYaml } from "./yaml-writer.ts";
import type { YamlMap, YamlValue } from "./yaml-writer.ts";

/**
 * Adds the host's key (as PEM or a file path) and, if missing, its certificate to a rendered configuration.
 */
export function insertIdentity(
  yaml: string,
  identity: { readonly key: string; readonly certificate?: string | undefined },
): string {
  const config: unknown = parse(yaml);
  if (!isMap(config) || !isMap(config.pki)) throw new FormatError("a configuration must have a pki section");
  const { ca, cert, key: _, ...rest } = config.pki;
  return writeYaml({
    ...config,
    pki: { ca, cert: identity.certificate ?? cert, key: identity.key, ...rest },
  });
}

function isMap(value: unknown): value is Record<string, YamlValue> & YamlMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
