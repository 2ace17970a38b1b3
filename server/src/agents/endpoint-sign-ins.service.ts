/** A person signs in for a device: a new one gets a place in the network, a known one may stay. */
import { sql } from "kysely";
import type { Context } from "../context.ts";
import { type AuditEntry, type Author, done, type Outcome } from "../db/audited.ts";
import type { Writer } from "../db/client.ts";
import { ApiError } from "../http/api-error.ts";
import { consume } from "../http/rate-limit.ts";
import { holdOrganization } from "../organizations/held-organization.service.ts";
import { admitted, type Claims, identityOf } from "../sso/claims.ts";
import type { IdentityProviders } from "../sso/identity-providers.ts";
import {
  clientOf,
  endpointOf,
  findProvider,
  type ProviderRow,
  rulesOf,
  sameProvider,
} from "../sso/oidc-provider.service.ts";
import {
  beginSignIn,
  exchange,
  loggingFailure,
  type Return,
  type SignIn,
  type Started,
  takeSignIn,
} from "../sso/sign-ins.service.ts";
import { type Completed, enrollDevice, keepDevice } from "./endpoint-devices.service.ts";
import { type EndpointRequest, findDevice, getEndpointRequest } from "./endpoint-auth.service.ts";

const DEVICES_MAX = 10;
/** Names and rules may change under the hands of somebody else; then it is looked at again. */
const ATTEMPTS_MAX = 3;
const RETRIED = new Set(["ERR_DUPLICATE_VALUE", "ERR_INVALID_REFERENCE"]);

export async function beginEndpointSignIn(
  ctx: Context,
  providers: IdentityProviders,
  { loginToken, organization, now }: { loginToken: string; organization: string | undefined; now: Date },
): Promise<Started> {
  const request = await getEndpointRequest(ctx, loginToken, now);
  if (request.state === "COMPLETED")
    throw new ApiError("ERR_INVALID_VALUE", { path: "loginToken", message: "has been used" });
  const device = await findDevice(ctx, request);
  const provider = device
    ? await findProvider(ctx.reader, device.organization_id)
    : await findByOrganization(ctx, organization);
  if (!provider || !endpointOf(provider)) throw new ApiError("ERR_OIDC_NOT_CONFIGURED");
  const started = await beginSignIn(ctx, providers, {
    client: clientOf(ctx, provider),
    organizationID: provider.organization_id,
    providerID: provider.id,
    now,
    endpointRequest: request.poll_token_hash,
  });
  await ctx.bookkeeper
    .updateTable("endpoint_auth_requests")
    .set({ state: "STARTED" })
    .where("poll_token_hash", "=", request.poll_token_hash)
    .where("state", "=", "WAITING")
    .execute();
  return started;
}

const refuseOrganization = (message: string) =>
  new ApiError("ERR_INVALID_VALUE", { path: "organization", message });

/** By its id, or by the domain of those it lets in. */
async function findByOrganization(
  ctx: Context,
  organization: string | undefined,
): Promise<ProviderRow | undefined> {
  if (organization === undefined) throw refuseOrganization("is needed");
  if (/^org-[A-Z2-7]{26}$/.test(organization)) return findProvider(ctx.reader, organization);
  const domain = organization.slice(organization.lastIndexOf("@") + 1).toLowerCase();
  const rows = await ctx.reader
    .selectFrom("oidc_providers")
    .selectAll()
    .where(sql<boolean>`allowed_domains @> array[${domain}]::text[]`)
    .where("endpoint_network_id", "is not", null)
    .limit(2)
    .execute();
  if (rows.length > 1) throw refuseOrganization("several have this domain: use the id of yours");
  return rows[0];
}

export async function finishEndpointSignIn(
  ctx: Context,
  providers: IdentityProviders,
  returned: Return,
): Promise<Completed> {
  const { ip, now } = returned;
  const taken = await takeSignIn(ctx, returned, { purpose: "device" });
  const { signIn } = taken;
  const claims = await loggingFailure(ctx, { signIn, ip }, async () => {
    const row = sameProvider(await findProvider(ctx.reader, signIn.organization_id), signIn.provider_id);
    return exchange(providers, taken, { client: clientOf(ctx, row), rules: rulesOf(row) });
  });
  await limitDevices(ctx, signIn, claims, now);
  const complete = () =>
    ctx.audited((tx) => completeSignIn(ctx, tx, { signIn, claims, now }), { address: ip });
  return loggingFailure(ctx, { signIn, ip, claims }, () => retried(complete));
}

async function limitDevices(ctx: Context, signIn: SignIn, claims: Claims, now: Date): Promise<void> {
  const identity = identityOf(claims);
  if (!identity) return;
  const subject = JSON.stringify([signIn.organization_id, identity.issuer, identity.subject]);
  await consume(ctx.bookkeeper, now, [{ name: "endpoint-sign-in:user", subject, max: DEVICES_MAX }]);
}

async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await work();
    } catch (error) {
      const isRetried = error instanceof ApiError && RETRIED.has(error.message);
      if (!isRetried) throw error;
      if (attempt === ATTEMPTS_MAX) throw new ApiError("ERR_UNAVAILABLE");
    }
}

async function completeSignIn(
  ctx: Context,
  tx: Writer,
  { signIn, claims, now }: { signIn: SignIn; claims: Claims; now: Date },
): Promise<Outcome<Completed>> {
  const organizationID = signIn.organization_id;
  // Nobody changes the provider meanwhile, and devices of one organization get their names one after the other.
  await holdOrganization(tx, organizationID);
  const provider = sameProvider(await findProvider(tx, organizationID), signIn.provider_id);
  const endpoint = endpointOf(provider);
  if (!endpoint) throw new ApiError("ERR_OIDC_NOT_CONFIGURED");
  const { identity } = admitted(claims, rulesOf(provider));
  const request = await holdRequest(tx, signIn, now);
  const author: Author = { organizationID, actor: { type: "oidcUser", ...identity } };
  const part = { author, identity, endpoint, request, now };
  const { completed, entries } = request.host_id
    ? await keepDevice(tx, { ...part, hostID: request.host_id })
    : await enrollDevice(ctx, tx, part);
  await tx
    .updateTable("endpoint_auth_requests")
    .set({ state: "COMPLETED" })
    .where("poll_token_hash", "=", request.poll_token_hash)
    .execute();
  const succeeded: AuditEntry = {
    ...author,
    target: { type: "host", id: completed.hostID },
    event: "SUCCEEDED_AUTH",
    before: null,
    after: { factor: "sso" },
  };
  return done(completed, succeeded, ...entries);
}

async function holdRequest(tx: Writer, { endpoint_request }: SignIn, now: Date): Promise<EndpointRequest> {
  const request = await tx
    .selectFrom("endpoint_auth_requests")
    .selectAll()
    .where("poll_token_hash", "=", endpoint_request ?? Buffer.alloc(0))
    .where("expires_at", ">", now)
    .where("state", "=", "STARTED")
    .forUpdate()
    .executeTakeFirst();
  if (request) return request;
  throw new ApiError("ERR_INVALID_OIDC_REQUEST_TOKEN", { path: "oidcRequestToken" });
}
