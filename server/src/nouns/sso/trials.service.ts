/** Trying a provider out before it is set: what it says of itself, and a sign-in that lets nobody in. */
import type { OidcDiscovery, OidcProviderInput, Output, verifyOidcTrial } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import type { User } from "../../infrastructure/http/credentials.ts";
import { admitted, isEmailVerifiedMissing, type Rules } from "./claims.ts";
import type { Client, IdentityProviders } from "./identity-providers.ts";
import { refuseIssuer } from "./issuers.ts";
import { defaultRoleFor, findProvider, secretFor } from "./oidc-provider.service.ts";
import { beginSignIn, exchange, type Return, type Started, takeSignIn, trialOf } from "./sign-ins.service.ts";

interface Trial {
  client: Client;
  rules: Rules;
}

/** No provider has it: a trial leads nowhere but to its own end. */
const NO_PROVIDER = "";

export async function startTrial(
  ctx: Context,
  providers: IdentityProviders,
  { person, input, now }: { person: User; input: OidcProviderInput; now: Date },
): Promise<{ discovery: OidcDiscovery; trial: Started }> {
  const organizationID = person.organization.id;
  const { issuerURL, clientID, allowedDomains, requiredClaim, auditorClaim, trustsEmails } = input;
  refuseIssuer(ctx.config, issuerURL);
  const stored = await findProvider(ctx.reader, organizationID);
  const clientSecret = secretFor(ctx, stored, input);
  const defaultRole = defaultRoleFor(stored, input);
  const client = { issuerURL, clientID, clientSecret };
  const found = (await providers.discover(client)).serverMetadata();
  const rules = { allowedDomains, requiredClaim, auditorClaim, defaultRole, trustsEmails };
  const trial: Trial = { client, rules };
  return {
    discovery: {
      issuer: found.issuer,
      authorizationEndpoint: found.authorization_endpoint ?? "",
      tokenEndpoint: found.token_endpoint ?? "",
      userinfoEndpoint: found.userinfo_endpoint ?? null,
      scopes: found.scopes_supported ?? [],
      claims: found.claims_supported ?? [],
    },
    trial: await beginSignIn(ctx, providers, {
      client,
      organizationID,
      providerID: NO_PROVIDER,
      now,
      trial,
    }),
  };
}

export async function finishTrial(
  ctx: Context,
  providers: IdentityProviders,
  person: User,
  returned: Return,
): Promise<Output<typeof verifyOidcTrial>> {
  const organizationID = person.organization.id;
  const taken = await takeSignIn(ctx, returned, { purpose: "trial", organizationID });
  const trial = trialOf(ctx, taken.signIn) as Trial;
  const claims = await exchange(providers, taken, trial);
  // A missing email_verified is reported instead of refused, so that the owner can decide what to do about it.
  const { identity, role } = admitted(claims, { ...trial.rules, trustsEmails: true });
  const isMissing = isEmailVerifiedMissing(claims);
  return {
    email: identity.email,
    subject: identity.subject,
    role,
    claims: Object.keys(claims).sort(),
    isEmailVerifiedMissing: isMissing,
    isAdmitted: trial.rules.trustsEmails || !isMissing,
  };
}
