/** Email domains that route devices to their organization. */
import * as z from "zod/mini";
import { access, data, endpoint, withRecentFactor } from "../endpoint.ts";
import { Empty, instant } from "../fields.ts";

const noun = "domains";

export const domainStates = ["pending", "verified", "takenElsewhere"] as const;

export const OrganizationDomain = z.strictObject({
  domain: z.string(),
  state: z.enum(domainStates),
  /** Null for a domain that the server's configuration assigns: it needs no record and can't be removed here. */
  record: z.nullable(z.strictObject({ type: z.literal("TXT"), name: z.string(), value: z.string() })),
  createdAt: z.nullable(instant()),
  verifiedAt: z.nullable(instant()),
});
export type OrganizationDomain = z.output<typeof OrganizationDomain>;

/** International domains must be in Punycode. */
const DNS_NAME = /^(?=.{3,190}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

export const isDomainName = (value: string): boolean => DNS_NAME.test(value);

const domain = z.string().check(
  z.trim(),
  z.toLowerCase(),
  z.refine(isDomainName, {
    error: "must be a domain such as example.com, in Punycode if it is international",
  }),
);

export const DomainInput = z.strictObject({ domain });

export const listDomains = endpoint({
  method: "GET",
  path: "/v1/domains",
  noun,
  summary: "List the organization's email domains",
  access: access.session,
  response: data(z.array(OrganizationDomain)),
});

export const addDomain = endpoint({
  method: "POST",
  path: "/v1/domains",
  noun,
  summary: "Add an email domain; verify it with a DNS record afterwards",
  access: withRecentFactor(access.owner),
  body: DomainInput,
  response: data(OrganizationDomain),
  errors: ["ERR_DUPLICATE_VALUE", "ERR_LIMIT_EXCEEDED"],
});

export const verifyDomain = endpoint({
  method: "POST",
  path: "/v1/domains/{domain}/verify",
  noun,
  summary: "Look up the DNS record of a domain and verify the domain if the record is there",
  access: withRecentFactor(access.owner),
  response: data(OrganizationDomain),
  errors: [
    "ERR_DOMAIN_RECORD_NOT_FOUND",
    "ERR_DNS_LOOKUP_FAILED",
    "ERR_DOMAIN_TAKEN",
    "ERR_TOO_MANY_REQUESTS",
  ],
});

export const removeDomain = endpoint({
  method: "DELETE",
  path: "/v1/domains/{domain}",
  noun,
  summary: "Remove an email domain; it stops routing devices immediately",
  access: withRecentFactor(access.owner),
  response: data(Empty),
});
