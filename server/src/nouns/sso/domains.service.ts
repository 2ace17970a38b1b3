/**
 * Email domains that assign people's devices to an organization. A domain is verified by a DNS record or by the server's
 * configuration, belongs to one organization, and stays verified until it is removed.
 */
import { domainToASCII } from "node:url";
import { DOMAINS_MAX } from "@lightkeeper/contract/limits";
import type { Selectable } from "kysely";
import type { Context } from "../../infrastructure/context/context.ts";
import { newToken } from "../../infrastructure/crypto/tokens.ts";
import { type AuditEntry, type Author, done, type Outcome } from "../../infrastructure/db/audited.ts";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import { lockOrganizationForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { violates } from "../../infrastructure/db/violations.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { findProvider, type ProviderRow } from "./oidc-provider.service.ts";
import { lookUpTxt, type ResolveTxt } from "./txt-records.ts";

export type DomainRow = Selectable<Tables["organization_domains"]>;

export const recordNameOf = (domain: string) => `_lightkeeper.${domain}`;
export const recordValueOf = ({ token }: Pick<DomainRow, "token">) => `lightkeeper-verification=${token}`;

const auditDomain = ({ domain, verified_at }: DomainRow) => ({ domain, isVerified: verified_at !== null });

const domainEntry = (
  author: Author,
  domain: string,
  change: Pick<AuditEntry, "event" | "before" | "after">,
): AuditEntry => ({ ...author, target: { type: "domain", id: domain }, ...change });

export function listDomains(db: Reader, organizationID: string): Promise<DomainRow[]> {
  return db
    .selectFrom("organization_domains")
    .selectAll()
    .where("organization_id", "=", organizationID)
    .orderBy("domain")
    .execute();
}

async function getDomain(db: Reader, organizationID: string, domain: string): Promise<DomainRow> {
  const row = await db
    .selectFrom("organization_domains")
    .selectAll()
    .where("organization_id", "=", organizationID)
    .where("domain", "=", domain)
    .executeTakeFirst();
  if (!row) throw new ApiError("ERR_NOT_FOUND");
  return row;
}

interface DomainChange {
  author: Author;
  domain: string;
  now: Date;
}

export async function addDomain(
  { config }: Context,
  tx: Writer,
  { author, domain, now }: DomainChange,
): Promise<Outcome<DomainRow>> {
  const { organizationID } = author;
  await lockOrganizationForNoKeyUpdate(tx, organizationID);
  const domains = await listDomains(tx, organizationID);
  const isConfigured = config.trustedDomains.get(domain) === organizationID;
  if (isConfigured || domains.some((row) => row.domain === domain))
    throw new ApiError("ERR_DUPLICATE_VALUE", { path: "domain", message: "is already listed" });
  if (domains.length >= DOMAINS_MAX)
    throw new ApiError("ERR_LIMIT_EXCEEDED", { extra: { limit: DOMAINS_MAX } });
  const row = await tx
    .insertInto("organization_domains")
    .values({ organization_id: organizationID, domain, token: newToken(), created_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
  return done(row, domainEntry(author, domain, { event: "CREATED", before: null, after: auditDomain(row) }));
}

/** Looks up the record before the transaction, so that no transaction waits for DNS. */
export async function verifyDomain(
  ctx: Context,
  resolve: ResolveTxt,
  { author, domain, now }: DomainChange,
): Promise<DomainRow> {
  const { organizationID } = author;
  const row = await getDomain(ctx.reader, organizationID, domain);
  if (row.verified_at) return row;
  const values = await lookUpTxt(resolve, recordNameOf(domain));
  if (!values.includes(recordValueOf(row)))
    throw new ApiError("ERR_DOMAIN_RECORD_NOT_FOUND", {
      message: `${recordNameOf(domain)} has no TXT record with the value ${recordValueOf(row)}`,
    });
  // Checked after the lookup: only the owner of the domain may learn that another organization has it.
  const configured = ctx.config.trustedDomains.get(domain);
  if (configured !== undefined && configured !== organizationID) throw new ApiError("ERR_DOMAIN_TAKEN");
  try {
    return await ctx.audited((tx) => markVerified(tx, row, { author, domain, now }), {
      address: author.address,
    });
  } catch (error) {
    if (violates(error, "organization_domains_verified")) throw new ApiError("ERR_DOMAIN_TAKEN");
    if (!(error instanceof ApiError)) throw error;
    // A concurrent request of the same organization has verified or removed the domain.
    const current = await getDomain(ctx.reader, organizationID, domain);
    if (current.verified_at) return current;
    throw error;
  }
}

async function markVerified(
  tx: Writer,
  before: DomainRow,
  { author, domain, now }: DomainChange,
): Promise<Outcome<DomainRow>> {
  const after = await tx
    .updateTable("organization_domains")
    .set({ verified_at: now })
    .where("organization_id", "=", author.organizationID)
    .where("domain", "=", domain)
    .where("token", "=", before.token)
    .where("verified_at", "is", null)
    .returningAll()
    .executeTakeFirst();
  if (!after) throw new ApiError("ERR_NOT_FOUND");
  return done(
    after,
    domainEntry(author, domain, { event: "UPDATED", before: auditDomain(before), after: auditDomain(after) }),
  );
}

export async function removeDomain(
  tx: Writer,
  { author, domain }: Omit<DomainChange, "now">,
): Promise<Outcome<Record<string, never>>> {
  const removed = await tx
    .deleteFrom("organization_domains")
    .where("organization_id", "=", author.organizationID)
    .where("domain", "=", domain)
    .returningAll()
    .executeTakeFirst();
  if (!removed) throw new ApiError("ERR_NOT_FOUND");
  return done(
    {},
    domainEntry(author, domain, { event: "DELETED", before: auditDomain(removed), after: null }),
  );
}

const organizationError = (message: string) =>
  new ApiError("ERR_INVALID_VALUE", { path: "organization", message });

/** Finds the provider by organization ID, verified domain, or an email address at such a domain. */
export async function findProviderByOrganization(
  ctx: Context,
  organization: string | undefined,
): Promise<ProviderRow | undefined> {
  if (organization === undefined) throw organizationError("is required");
  if (/^org-[^.@]*$/.test(organization)) return findProvider(ctx.reader, organization);
  const organizationID = await findOrganizationByDomain(ctx, organization);
  if (organizationID === undefined)
    throw organizationError("no organization has verified this domain: enter the organization ID instead");
  return findProvider(ctx.reader, organizationID);
}

/** The configuration takes precedence over verified domains. */
async function findOrganizationByDomain(
  { reader, config }: Context,
  domainOrEmail: string,
): Promise<string | undefined> {
  const domain = domainToASCII(domainOrEmail.slice(domainOrEmail.lastIndexOf("@") + 1)).toLowerCase();
  const configured = config.trustedDomains.get(domain);
  if (configured !== undefined) return configured;
  const row = await reader
    .selectFrom("organization_domains")
    .select("organization_id")
    .where("domain", "=", domain)
    .where("verified_at", "is not", null)
    .executeTakeFirst();
  return row?.organization_id;
}
