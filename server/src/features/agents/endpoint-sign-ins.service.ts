/** A person signs in for a device: a new device is enrolled, and an enrolled one may stay. */
import type { Context } from "../../infrastructure/context/context.ts";
import { type AuditEntry, type Author, done, type Outcome } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { consume } from "../../infrastructure/http/rate-limit.ts";
import {
  lockEndpointAuthRequestForUpdate,
  lockOrganizationForNoKeyUpdate,
} from "../../infrastructure/db/locks.ts";
import {
  type EndpointRequest,
  markEndpointRequestStarted,
  updateEndpointRequest,
} from "../../nouns/device-requests/device-requests.service.ts";
import { requireAdmission, type Claims, identityOf } from "../../nouns/sso/claims.ts";
import { findProviderByOrganization } from "../../nouns/sso/domains.service.ts";
import type { IdentityProviders } from "../../nouns/sso/identity-providers.ts";
import {
  clientOf,
  endpointOf,
  findProvider,
  rulesOf,
  requireSameProvider,
} from "../../nouns/sso/oidc-provider.service.ts";
import { requireNotRemoved } from "../../nouns/sso/removals.service.ts";
import {
  beginSignIn,
  exchange,
  auditFailure,
  type SignInReturn,
  type SignIn,
  type StartedSignIn,
  takeSignIn,
} from "../../nouns/sso/sign-ins.service.ts";
import { isGuaranteeViolation } from "../access/access-guard.ts";
import { type PendingDevice, requestApproval } from "./device-requests.service.ts";
import { addDevice, type Completed, extendSignIn, retryNameConflicts } from "./endpoint-devices.service.ts";
import { findDevice, getEndpointRequest } from "./endpoint-auth.service.ts";

const DEVICES_MAX = 10;
/** Requests for approval per organization and 15 minutes. */
const REQUESTS_MAX = 200;

export async function beginEndpointSignIn(
  ctx: Context,
  providers: IdentityProviders,
  { loginToken, organization, now }: { loginToken: string; organization: string | undefined; now: Date },
): Promise<StartedSignIn> {
  const request = await getEndpointRequest(ctx, loginToken, now);
  if (request.state !== "WAITING" && request.state !== "STARTED")
    throw new ApiError("ERR_INVALID_VALUE", { path: "loginToken", message: "has been used" });
  const device = await findDevice(ctx, request);
  const provider = device
    ? await findProvider(ctx.reader, device.organization_id)
    : await findProviderByOrganization(ctx, organization);
  if (!provider || !endpointOf(provider)) throw new ApiError("ERR_OIDC_NOT_CONFIGURED");
  const started = await beginSignIn(ctx, providers, {
    client: clientOf(ctx, provider),
    organizationID: provider.organization_id,
    providerID: provider.id,
    now,
    endpointRequest: request.poll_token_hash,
  });
  await markEndpointRequestStarted(ctx.unaudited, request);
  return started;
}

export async function finishEndpointSignIn(
  ctx: Context,
  providers: IdentityProviders,
  returned: SignInReturn,
): Promise<Completed | PendingDevice> {
  const { ip, now } = returned;
  const taken = await takeSignIn(ctx, returned, { purpose: "device" });
  const { signIn } = taken;
  const { claims, endpoint } = await auditFailure(ctx, { signIn, ip }, async () => {
    const row = requireSameProvider(
      await findProvider(ctx.reader, signIn.organization_id),
      signIn.provider_id,
    );
    const idTokenClaims = await exchange(providers, taken, {
      client: clientOf(ctx, row),
      rules: rulesOf(row),
    });
    return { claims: idTokenClaims, endpoint: endpointOf(row) };
  });
  await limitDevices(ctx, signIn, claims, { now, isRequest: endpoint?.requiresApproval === true });
  const complete = () =>
    ctx.audited((tx) => completeSignIn(ctx, tx, { signIn, claims, ip, now }), { address: ip });
  return auditFailure(ctx, { signIn, ip, claims }, () => retryNameConflicts(complete).catch(hideViolation));
}

/** People without access to the console don't learn the names of other hosts. */
function hideViolation(error: unknown): never {
  if (!isGuaranteeViolation(error)) throw error;
  throw new ApiError("ERR_GUARANTEE_VIOLATED", {
    message: "this device would break a guarantee of your organization; ask an administrator",
  });
}

async function limitDevices(
  ctx: Context,
  signIn: SignIn,
  claims: Claims,
  { now, isRequest }: { now: Date; isRequest: boolean },
): Promise<void> {
  const identity = identityOf(claims);
  if (!identity) return;
  const organizationID = signIn.organization_id;
  const subject = JSON.stringify([organizationID, identity.issuer, identity.subject]);
  const userLimit = { name: "endpoint-sign-in:user", subject, max: DEVICES_MAX };
  const organizationLimit = {
    name: "device-request:organization",
    subject: organizationID,
    max: REQUESTS_MAX,
  };
  await consume(ctx.unaudited, now, isRequest ? [userLimit, organizationLimit] : [userLimit]);
}

async function completeSignIn(
  ctx: Context,
  tx: Writer,
  { signIn, claims, ip, now }: { signIn: SignIn; claims: Claims; ip: string; now: Date },
): Promise<Outcome<Completed | PendingDevice>> {
  const organizationID = signIn.organization_id;
  // Keeps the provider unchanged, and names the devices of an organization one at a time.
  await lockOrganizationForNoKeyUpdate(tx, organizationID);
  const provider = requireSameProvider(await findProvider(tx, organizationID), signIn.provider_id);
  const endpoint = endpointOf(provider);
  if (!endpoint) throw new ApiError("ERR_OIDC_NOT_CONFIGURED");
  const { identity } = requireAdmission(claims, rulesOf(provider));
  await requireNotRemoved(tx, organizationID, identity);
  const request = await lockRequest(tx, signIn, now);
  const author: Author = { organizationID, actor: { type: "oidcUser", ...identity } };
  if (endpoint.requiresApproval && request.host_id === null)
    return requestApproval(tx, { author, identity, request, ip, now });
  const signedIn = { author, identity, endpoint, request, now };
  const { completed, entries } = request.host_id
    ? await extendSignIn(tx, { ...signedIn, hostID: request.host_id })
    : await addDevice(ctx, tx, signedIn);
  await updateEndpointRequest(tx, request, { state: "COMPLETED" });
  const succeeded: AuditEntry = {
    ...author,
    target: { type: "host", id: completed.hostID },
    event: "SUCCEEDED_AUTH",
    before: null,
    after: { factor: "sso" },
  };
  return done(completed, succeeded, ...entries);
}

async function lockRequest(tx: Writer, { endpoint_request }: SignIn, now: Date): Promise<EndpointRequest> {
  const request = await lockEndpointAuthRequestForUpdate(tx, endpoint_request ?? Buffer.alloc(0));
  if (request && request.expires_at > now && request.state === "STARTED") return request;
  throw new ApiError("ERR_INVALID_OIDC_REQUEST_TOKEN", { path: "oidcRequestToken" });
}
