/** The name and versions that a client claims. They are unverified, so nothing security-relevant depends on them. */
import { MOBILE_AGENT_NAME } from "../../nouns/hosts/host-filters.ts";

export interface Client {
  name: string;
  version: string | null;
  nebulaVersion: string | undefined;
}

const UNKNOWN = "unknown";
const PRODUCT = /^([\w.-]{1,64})(?:\/([\w.+-]{1,64}))?/;
const NEBULA = /\bnebula\/v?([\w.+-]{1,64})/;

export function readUserAgent(header: string | undefined): Client {
  const text = header ?? "";
  const [, name = UNKNOWN, version = null] = PRODUCT.exec(text) ?? [];
  return {
    name: /mobile|android|\bios\b/i.test(text) ? MOBILE_AGENT_NAME : name,
    version,
    nebulaVersion: NEBULA.exec(text)?.[1],
  };
}
