import * as contract from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { codeLimits } from "./code-limits.service.ts";
import { countUnusedCodes, createRecoveryCodes, logInWithRecoveryCode } from "./recovery-codes.service.ts";

export function serveRecoveryCodes(routes: Routes, ctx: Context): void {
  routes.read(contract.getRecoveryCodes, async ({ person }) => {
    const { unusedCount, createdAt } = await countUnusedCodes(ctx.reader, person.id);
    return { unusedCount, createdAt: createdAt?.toISOString() ?? null };
  });

  routes.write(contract.createRecoveryCodes, ({ person, now }, tx) => createRecoveryCodes(tx, person, now));

  // Counts together with the codes of authenticators, so that there are no further guesses.
  routes.write(
    contract.logInWithRecoveryCode,
    ({ person, body, ip, userAgent, now }, tx) =>
      logInWithRecoveryCode(ctx, tx, { person, code: body.code, origin: { ip, userAgent }, now }),
    { limits: ({ person }) => codeLimits(person.id) },
  );
}
