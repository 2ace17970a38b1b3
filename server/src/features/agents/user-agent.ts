/** Who a client says it is. Nothing else tells, so nothing depends on it that could do harm. */

export interface Client {
  name: string;
  version: string | null;
  nebulaVersion: string | undefined;
}

const UNKNOWN = "unknown";
/** The name that phones go by, whatever their app is called. */
const MOBILE = "mobile";
const PRODUCT = /^([\w.-]{1,64})(?:\/([\w.+-]{1,64}))?/;
const NEBULA = /\bnebula\/v?([\w.+-]{1,64})/;

export function readUserAgent(header: string | undefined): Client {
  const text = header ?? "";
  const [, name = UNKNOWN, version = null] = PRODUCT.exec(text) ?? [];
  return {
    name: /mobile|android|\bios\b/i.test(text) ? MOBILE : name,
    version,
    nebulaVersion: NEBULA.exec(text)?.[1],
  };
}
