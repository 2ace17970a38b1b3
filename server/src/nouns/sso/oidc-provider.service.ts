/** The organization's identity provider. */
import { ENDPOINT_VALID_DAYS, type OidcProviderInput, type SsoDefaultRole } from "@lightkeeper/contract";
import type { Selectable } from "kysely";
import type { Context } from "../../infrastructure/context/context.ts";
import { newId } from "../../infrastructure/crypto/ids.ts";
import { type AuditEntry, type Author, done, type Outcome } from "../../infrastructure/db/audited.ts";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import {
  lockNetworkForKeyShare,
  lockOidcProviderForShare,
  lockOrganizationForNoKeyUpdate,
  lockRolesForKeyShare,
} from "../../infrastructure/db/locks.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Rules } from "./claims.ts";
import type { Client } from "./identity-providers.ts";
import { requireAllowedIssuer } from "./issuer-url.ts";
import { withdrawDeviceRequests } from "../device-requests/device-requests.service.ts";
import { revokeAllSsoSessions } from "./sso-sessions.service.ts";

export type ProviderRow = Selectable<Tables["oidc_providers"]>;

const secretLocation = (id: string) => ({ table: "oidc_providers", column: "client_secret", id });

export async function findProvider(db: Reader, organizationID: string): Promise<ProviderRow | undefined> {
  return db
    .selectFrom("oidc_providers")
    .selectAll()
    .where("organization_id", "=", organizationID)
    .executeTakeFirst();
}

export const rulesOf = (row: ProviderRow): Rules => ({
  allowedDomains: row.allowed_domains,
  requiredClaim: row.required_claim,
  auditorClaim: row.auditor_claim,
  defaultRole: row.default_role,
  trustsEmails: row.trusts_emails,
});

export const clientOf = ({ secrets }: Context, row: ProviderRow): Client => ({
  issuerURL: row.issuer_url,
  clientID: row.client_id,
  clientSecret: secrets.open(row.client_secret, secretLocation(row.id)).toString("utf8"),
});

export const endpointOf = (row: ProviderRow) =>
  row.endpoint_network_id === null
    ? null
    : {
        networkID: row.endpoint_network_id,
        roleID: row.endpoint_role_id,
        tags: row.endpoint_tags,
        validDays: row.endpoint_valid_days,
        requiresApproval: row.endpoint_requires_approval,
      };

const auditProvider = (row: ProviderRow) => ({
  name: row.name,
  issuerURL: row.issuer_url,
  clientID: row.client_id,
  ...rulesOf(row),
  endpoint: endpointOf(row),
});

interface ProviderChange {
  event: "CREATED" | "UPDATED" | "DELETED";
  before: ProviderRow | null;
  after: ProviderRow | null;
}

export const providerEntry = (author: Author, { event, before, after }: ProviderChange): AuditEntry => ({
  ...author,
  target: { type: "oidcProvider", id: (after ?? before)?.id ?? "" },
  event,
  before: before && auditProvider(before),
  after: after && auditProvider(after),
});

const isSameClient = (row: ProviderRow, input: OidcProviderInput) =>
  row.issuer_url === input.issuerURL && row.client_id === input.clientID;

/** A stored secret is used only with the issuer and client it was entered for. */
export function secretFor(ctx: Context, stored: ProviderRow | undefined, input: OidcProviderInput): string {
  if (input.clientSecret !== undefined) return input.clientSecret;
  if (stored && isSameClient(stored, input)) return clientOf(ctx, stored).clientSecret;
  throw new ApiError("ERR_INVALID_VALUE", {
    path: "clientSecret",
    message: stored ? "is required when the issuer or client changes" : "is required",
  });
}

/** There is no default: an owner chooses the role when the provider is set up. */
export function defaultRoleFor(stored: ProviderRow | undefined, input: OidcProviderInput): SsoDefaultRole {
  const role = input.defaultRole ?? stored?.default_role;
  if (role) return role;
  throw new ApiError("ERR_INVALID_VALUE", {
    path: "defaultRole",
    message: "is required: choose administrator or auditor",
  });
}

interface ProviderUpdate {
  author: Author;
  input: OidcProviderInput;
  now: Date;
}

export async function updateProvider(
  ctx: Context,
  tx: Writer,
  { author, input, now }: ProviderUpdate,
): Promise<Outcome<ProviderRow>> {
  const { organizationID } = author;
  requireAllowedIssuer(ctx.config, input.issuerURL);
  await lockOrganizationForNoKeyUpdate(tx, organizationID);
  const before = await findProvider(tx, organizationID);
  const secret = secretFor(ctx, before, input);
  await requireKnownReferences(tx, organizationID, input);
  const id = before && isSameClient(before, input) ? before.id : newId("oidc");
  const values = {
    id,
    name: input.name,
    issuer_url: input.issuerURL,
    client_id: input.clientID,
    client_secret: ctx.secrets.seal(Buffer.from(secret), secretLocation(id)),
    allowed_domains: [...new Set(input.allowedDomains)],
    required_claim: input.requiredClaim && JSON.stringify(input.requiredClaim),
    auditor_claim: input.auditorClaim && JSON.stringify(input.auditorClaim),
    default_role: defaultRoleFor(before, input),
    trusts_emails: input.trustsEmails,
    endpoint_network_id: input.endpoint?.networkID ?? null,
    endpoint_role_id: input.endpoint?.roleID ?? null,
    endpoint_tags: [...new Set(input.endpoint?.tags)],
    endpoint_valid_days: input.endpoint?.validDays ?? ENDPOINT_VALID_DAYS,
    endpoint_requires_approval: input.endpoint?.requiresApproval ?? false,
    modified_at: now,
  };
  const after = await tx
    .insertInto("oidc_providers")
    .values({ organization_id: organizationID, ...values, created_at: now })
    .onConflict((conflict) => conflict.column("organization_id").doUpdateSet(values))
    .returningAll()
    .executeTakeFirstOrThrow();
  if (before && haveSignInRulesChanged(before, after)) {
    await revokeAllSsoSessions(tx, organizationID);
    await withdrawDeviceRequests(tx, organizationID);
  }
  const event = before ? "UPDATED" : "CREATED";
  return done(after, providerEntry(author, { event, before: before ?? null, after }));
}

/** Whether people who are signed in might no longer be allowed, or would get another role. */
const haveSignInRulesChanged = (before: ProviderRow, after: ProviderRow) =>
  before.id !== after.id || JSON.stringify(rulesOf(before)) !== JSON.stringify(rulesOf(after));

export async function deleteProvider(tx: Writer, author: Author): Promise<Outcome<Record<string, never>>> {
  const { organizationID } = author;
  await lockOrganizationForNoKeyUpdate(tx, organizationID);
  const deleted = await tx
    .deleteFrom("oidc_providers")
    .where("organization_id", "=", organizationID)
    .returningAll()
    .executeTakeFirst();
  if (!deleted) throw new ApiError("ERR_OIDC_NOT_CONFIGURED");
  await revokeAllSsoSessions(tx, organizationID);
  await withdrawDeviceRequests(tx, organizationID);
  return done({}, providerEntry(author, { event: "DELETED", before: deleted, after: null }));
}

/** Locks the provider; throws unless it is the one that the sign-in started with. */
export async function lockProvider(
  tx: Writer,
  { organizationID, providerID }: { organizationID: string; providerID: string },
): Promise<ProviderRow> {
  const row = await lockOidcProviderForShare(tx, organizationID);
  return requireSameProvider(row, providerID);
}

export function requireSameProvider(row: ProviderRow | undefined, providerID: string): ProviderRow {
  if (!row) throw new ApiError("ERR_OIDC_NOT_CONFIGURED");
  if (row.id !== providerID) throw new ApiError("ERR_OIDC_PROVIDER_MISMATCH");
  return row;
}

async function requireKnownReferences(
  tx: Writer,
  organizationID: string,
  { endpoint }: OidcProviderInput,
): Promise<void> {
  if (!endpoint) return;
  const { roleID, networkID } = endpoint;
  if (roleID !== null && (await lockRolesForKeyShare(tx, organizationID, [roleID])).length === 0)
    throw new ApiError("ERR_INVALID_REFERENCE", { path: "endpoint.roleID" });
  const network = await lockNetworkForKeyShare(tx, organizationID, networkID);
  if (!network) throw new ApiError("ERR_INVALID_REFERENCE", { path: "endpoint.networkID" });
}
