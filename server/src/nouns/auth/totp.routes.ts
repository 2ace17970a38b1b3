import * as contract from "@lightkeeper/contract";
import type { TotpAuthenticator } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { mapOutcome } from "../../infrastructure/db/audited.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { codeLimits } from "./code-limits.service.ts";
import { finishSetup, startSetup } from "./totp-setup.service.ts";
import { type AuthenticatorRow, findAuthenticator, listAuthenticators } from "./totp.queries.ts";
import { deleteAuthenticator, renameAuthenticator } from "./totp.service.ts";

const toTotpAuthenticator = (row: AuthenticatorRow): TotpAuthenticator => ({
  id: row.id,
  name: row.name,
  createdAt: row.created_at.toISOString(),
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
});

export function serveTotpAuthenticators(routes: Routes, ctx: Context): void {
  routes.read(contract.listTotpAuthenticators, async ({ person }) =>
    (await listAuthenticators(ctx.reader, person.organization.id, person.id)).map(toTotpAuthenticator),
  );

  routes.read(contract.getTotpAuthenticator, async ({ person, params }) => {
    const row = await findAuthenticator(ctx.reader, person.organization.id, person.id, params.totpID);
    if (!row) throw new ApiError("ERR_NOT_FOUND");
    return toTotpAuthenticator(row);
  });

  routes.writeUnaudited(contract.createTotpAuthenticator, ({ person, body, now }) =>
    startSetup(ctx, { person, name: body.name, now }),
  );

  routes.write(
    contract.verifyTotpAuthenticator,
    async ({ person, body, ip, userAgent, now }, tx) => {
      const outcome = await finishSetup(ctx, tx, { person, body, origin: { ip, userAgent }, now });
      return mapOutcome(outcome, ({ authToken, authenticator }) => ({
        authToken,
        authenticator: toTotpAuthenticator(authenticator),
      }));
    },
    { limits: ({ person }) => codeLimits(person.id) },
  );

  routes.write(contract.updateTotpAuthenticator, async ({ person, params, body }, tx) => {
    const outcome = await renameAuthenticator(tx, { person, id: params.totpID, name: body.name });
    return mapOutcome(outcome, toTotpAuthenticator);
  });

  routes.write(contract.deleteTotpAuthenticator, ({ person, params }, tx) =>
    deleteAuthenticator(tx, { person, id: params.totpID }),
  );
}
