/** Tests a provider before it is saved: reads its discovery document and starts a sign-in that creates no session. */
import type { OidcDiscovery, OidcProviderInput, Output, verifyOidcTrial } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import type { User } from "../../infrastructure/http/actor.ts";
import { requireAdmission, isEmailVerifiedMissing, type Rules } from "./claims.ts";
import type { Client, IdentityProviders } from "./identity-providers.ts";
import { requireAllowedIssuer } from "./issuer-url.ts";
import { defaultRoleFor, findProvider, secretFor } from "./oidc-provider.service.ts";
import {
  beginSignIn,
  exchange,
  type SignInReturn,
  type StartedSignIn,
  takeSignIn,
  decryptConnectionTest,
} from "./sign-ins.service.ts";

interface ConnectionTest {
  client: Client;
  rules: Rules;
}

/** No provider has this ID, so the sign-in cannot be used for anything else. */
const NO_PROVIDER = "";

export async function startConnectionTest(
  ctx: Context,
  providers: IdentityProviders,
  { person, input, now }: { person: User; input: OidcProviderInput; now: Date },
): Promise<{ discovery: OidcDiscovery; trial: StartedSignIn }> {
  const organizationID = person.organization.id;
  const { issuerURL, clientID, allowedDomains, requiredClaim, auditorClaim, trustsEmails } = input;
  requireAllowedIssuer(ctx.config, issuerURL);
  const stored = await findProvider(ctx.reader, organizationID);
  const clientSecret = secretFor(ctx, stored, input);
  const defaultRole = defaultRoleFor(stored, input);
  const client = { issuerURL, clientID, clientSecret };
  const metadata = (await providers.discover(client)).serverMetadata();
  const rules = { allowedDomains, requiredClaim, auditorClaim, defaultRole, trustsEmails };
  const connectionTest: ConnectionTest = { client, rules };
  return {
    discovery: {
      issuer: metadata.issuer,
      authorizationEndpoint: metadata.authorization_endpoint ?? "",
      tokenEndpoint: metadata.token_endpoint ?? "",
      userinfoEndpoint: metadata.userinfo_endpoint ?? null,
      scopes: metadata.scopes_supported ?? [],
      claims: metadata.claims_supported ?? [],
    },
    trial: await beginSignIn(ctx, providers, {
      client,
      organizationID,
      providerID: NO_PROVIDER,
      now,
      connectionTest,
    }),
  };
}

export async function finishConnectionTest(
  ctx: Context,
  providers: IdentityProviders,
  person: User,
  returned: SignInReturn,
): Promise<Output<typeof verifyOidcTrial>> {
  const organizationID = person.organization.id;
  const taken = await takeSignIn(ctx, returned, { purpose: "connectionTest", organizationID });
  const test = decryptConnectionTest(ctx, taken.signIn) as ConnectionTest;
  const claims = await exchange(providers, taken, test);
  // Reports a missing email_verified instead of throwing, so that the owner can decide what to do about it.
  const { identity, role } = requireAdmission(claims, { ...test.rules, trustsEmails: true });
  const isMissing = isEmailVerifiedMissing(claims);
  return {
    email: identity.email,
    subject: identity.subject,
    role,
    claims: Object.keys(claims).sort(),
    isEmailVerifiedMissing: isMissing,
    isAdmitted: test.rules.trustsEmails || !isMissing,
  };
}
