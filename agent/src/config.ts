/** The configuration as nebula gets it: what the server sent, with what only this host has. */
import { FormatError, insertIdentity } from "@lightkeeper/nebula";
import { parse } from "yaml";
import { Failure } from "./failure.ts";
import type { Setup } from "./state.ts";

export type ConfigMap = Readonly<Record<string, unknown>>;

export function readConfig(yaml: string): ConfigMap {
  let config: unknown;
  try {
    config = parse(yaml);
  } catch {
    throw new Failure("The server sent a configuration that is not YAML.");
  }
  if (!isMap(config) || !isMap(config.pki))
    throw new Failure("The server sent a configuration without a map called pki.");
  return config;
}

export function readCertificate(yaml: string): string | undefined {
  const { cert } = readConfig(yaml).pki as ConfigMap;
  return typeof cert === "string" ? cert : undefined;
}

/** With the identity only this host has. Logs come as JSON whatever the server says: the agent reads them. */
export function completeConfig({ config: yaml, certificate }: Setup, keyPath: string): ConfigMap {
  const config = readConfig(yaml);
  const [pki, logging] = [config.pki, config.logging].map((section) => (isMap(section) ? section : {}));
  return {
    ...config,
    pki: { ...pki, cert: certificate, key: keyPath },
    logging: { ...logging, format: "json" },
  };
}

/** By nebula's own writer: no other can be trusted to quote what an older YAML would take for something else. */
export function writeConfig(config: ConfigMap): string {
  const { key } = config.pki as { key: string };
  try {
    return insertIdentity(JSON.stringify(config), { key });
  } catch (error) {
    if (error instanceof FormatError)
      throw new Failure(`The server sent a configuration that cannot be written: ${error.message}.`);
    throw error;
  }
}

export function isMap(value: unknown): value is ConfigMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
