/** Caches the organization of recently used tokens. Only used to choose the queue for looking up a token. */
import type { Presented } from "../../../infrastructure/http/actor.ts";

const TOKENS_MAX = 10_000;

export function createTokenOrganizations() {
  const organizations = new Map<string, string>();
  const keyOf = (presented: Presented | undefined) => presented?.token.toString("base64");
  return {
    find: (presented: Presented | undefined) => organizations.get(keyOf(presented) ?? ""),
    set(presented: Presented | undefined, organizationID: string): void {
      const key = keyOf(presented);
      if (key === undefined) return;
      organizations.delete(key);
      organizations.set(key, organizationID);
      const [oldest] = organizations.keys();
      if (organizations.size > TOKENS_MAX && oldest !== undefined) organizations.delete(oldest);
    },
  };
}
