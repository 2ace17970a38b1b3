import * as contract from "@lightkeeper/contract";
import type { OidcProvider } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { mapOutcome } from "../../infrastructure/db/audited.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { authorOf } from "../../infrastructure/http/actor.ts";
import { limitByIP } from "../../infrastructure/http/rate-limit.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { findProviderByOrganization } from "./domains.service.ts";
import { type IdentityProviders, redirectURLOf } from "./identity-providers.ts";
import {
  clientOf,
  deleteProvider,
  endpointOf,
  findProvider,
  type ProviderRow,
  updateProvider,
} from "./oidc-provider.service.ts";
import { beginSignIn } from "./sign-ins.service.ts";
import { signInToConsole } from "./sso-users.service.ts";
import { finishConnectionTest, startConnectionTest } from "./connection-tests.service.ts";

const CONNECTION_TESTS_MAX = 30;

export function serveSso(routes: Routes, ctx: Context, providers: IdentityProviders): void {
  const { appURL } = ctx.config;
  const toProvider = (row: ProviderRow): OidcProvider => ({
    id: row.id,
    name: row.name,
    issuerURL: row.issuer_url,
    clientID: row.client_id,
    allowedDomains: row.allowed_domains,
    requiredClaim: row.required_claim,
    auditorClaim: row.auditor_claim,
    defaultRole: row.default_role,
    trustsEmails: row.trusts_emails,
    endpoint: endpointOf(row),
    redirectURL: redirectURLOf(ctx.config),
    loginURL: `${appURL}/auth/login/${row.organization_id}`,
    createdAt: row.created_at.toISOString(),
    modifiedAt: row.modified_at.toISOString(),
  });

  routes.read(contract.getOidcProvider, async ({ person }) => {
    const row = await findProvider(ctx.reader, person.organization.id);
    return row ? toProvider(row) : null;
  });
  routes.write(contract.updateOidcProvider, async ({ person, body, now }, tx) =>
    mapOutcome(await updateProvider(ctx, tx, { author: authorOf(person), input: body, now }), toProvider),
  );
  routes.write(contract.deleteOidcProvider, ({ person }, tx) => deleteProvider(tx, authorOf(person)));

  routes.writeUnaudited(
    contract.testOidcProvider,
    ({ person, body, now }) => startConnectionTest(ctx, providers, { person, input: body, now }),
    {
      limits: ({ person }) => [
        { name: "oidc-test:organization", subject: person.organization.id, max: CONNECTION_TESTS_MAX },
      ],
    },
  );
  routes.writeUnaudited(contract.verifyOidcTrial, ({ person, body, ip, now }) =>
    finishConnectionTest(ctx, providers, person, { callback: body, ip, now }),
  );

  serveSignIns(routes, ctx, providers);
}

function serveSignIns(routes: Routes, ctx: Context, providers: IdentityProviders): void {
  const perIP = (name: string, ip: string) => limitByIP(ctx.config, name, ip);
  routes.writeUnaudited(
    contract.startOidc,
    async ({ params, now }) => {
      const row = await findProviderByOrganization(ctx, params.orgID);
      if (!row) throw new ApiError("ERR_OIDC_NOT_CONFIGURED");
      const { organization_id: organizationID, id: providerID } = row;
      const client = clientOf(ctx, row);
      const started = await beginSignIn(ctx, providers, { client, organizationID, providerID, now });
      return { ...started, organizationID };
    },
    { limits: ({ ip }) => [perIP("oidc-start", ip)] },
  );
  routes.writeUnaudited(
    contract.verifyOidc,
    ({ body, ip, now }) => signInToConsole(ctx, providers, { callback: body, ip, now }),
    { limits: ({ ip }) => [perIP("oidc-verify", ip)] },
  );
}
