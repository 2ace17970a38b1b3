/** DNS for tests: TXT records in memory, and failures on request. */
import { addDomain, type OrganizationDomain, verifyDomain } from "@lightkeeper/contract";
import type { ResolveTxt } from "../nouns/sso/txt-records.ts";
import type { Session } from "./server.ts";

const dnsError = (code: string) => Object.assign(new Error(code), { code });

export interface TestDns {
  resolveTxt: ResolveTxt;
  publish: (domain: OrganizationDomain) => void;
  /** Every lookup fails with this code of node:dns while it is set. */
  failure: string | undefined;
  /** Publishes the record of a domain and verifies it. */
  verify: (session: Session, domain: string) => Promise<OrganizationDomain>;
}

export function createTestDns(): TestDns {
  const records = new Map<string, string[][]>();
  const dns: TestDns = {
    failure: undefined,
    resolveTxt: async (name) => {
      if (dns.failure) throw dnsError(dns.failure);
      const found = records.get(name);
      if (!found) throw dnsError("ENOTFOUND");
      return found;
    },
    publish: ({ record }) => {
      if (!record) return;
      // DNS splits long values into chunks.
      const chunks = [record.value.slice(0, 10), record.value.slice(10)];
      records.set(record.name, [...(records.get(record.name) ?? []), chunks]);
    },
    verify: async (session, domain) => {
      dns.publish(await session.call(addDomain, { body: { domain } }));
      return session.call(verifyDomain, { params: { domain } });
    },
  };
  return dns;
}
