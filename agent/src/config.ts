/** Nebula's configuration file: the server's configuration plus the key path and certificate of this host. */
import { FormatError, insertIdentity } from "@lightkeeper/nebula";
import { parse } from "yaml";
import { AgentError } from "./errors.ts";
import type { Setup } from "./state.ts";

export type ConfigMap = Readonly<Record<string, unknown>>;

export function readConfig(yaml: string): ConfigMap {
  let config: unknown;
  try {
    config = parse(yaml);
  } catch {
    throw new AgentError("The server sent a configuration that isn't valid YAML.");
  }
  if (!isMap(config) || !isMap(config.pki))
    throw new AgentError("The server sent a configuration without a pki section.");
  return config;
}

export function readCertificate(yaml: string): string | undefined {
  const { cert } = readConfig(yaml).pki as ConfigMap;
  return typeof cert === "string" ? cert : undefined;
}

/** Adds this host's identity. Logging is always JSON because the agent parses the log. */
export function completeConfig({ config: yaml, certificate }: Setup, keyPath: string): ConfigMap {
  const config = readConfig(yaml);
  const [pki, logging] = [config.pki, config.logging].map((section) => (isMap(section) ? section : {}));
  return {
    ...config,
    pki: { ...pki, cert: certificate, key: keyPath },
    logging: { ...logging, format: "json" },
  };
}

/** Uses the writer of @lightkeeper/nebula, which quotes texts that older YAML parsers read as another type. */
export function writeConfig(config: ConfigMap): string {
  const { key } = config.pki as { key: string };
  try {
    return insertIdentity(JSON.stringify(config), { key });
  } catch (error) {
    if (error instanceof FormatError)
      throw new AgentError(
        `The server sent a configuration that can't be written as YAML: ${error.message}.`,
      );
    throw error;
  }
}

export function isMap(value: unknown): value is ConfigMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
