/** Codes that replace the authenticator once each, for people who lost it. */
import * as z from "zod/mini";
import { access, data, endpoint, withRecentFactor } from "../endpoint.ts";
import { instant } from "../fields.ts";

const noun = "recovery-codes";

export const RECOVERY_CODES = 10;
/** From this number of unused codes on, people are asked to generate new ones. */
export const FEW_RECOVERY_CODES = 3;

const CODE_LENGTH_MAX = 64;

export const getRecoveryCodes = endpoint({
  method: "GET",
  path: "/v1/recovery-codes",
  noun,
  summary: "Get how many of your recovery codes are unused",
  access: access.ownUser,
  response: data(
    z.strictObject({
      unusedCount: z.number(),
      /** Null if none were generated. */
      createdAt: z.nullable(instant()),
    }),
  ),
});

export const createRecoveryCodes = endpoint({
  method: "POST",
  path: "/v1/recovery-codes",
  noun,
  summary: "Generate new recovery codes; the earlier ones stop working",
  access: withRecentFactor(access.ownUser),
  response: data(z.strictObject({ codes: z.array(z.string()) })),
});

export const logInWithRecoveryCode = endpoint({
  method: "POST",
  path: "/v1/auth/recovery-code",
  noun,
  summary: "Log in with a recovery code instead of a code from an authenticator app; each works once",
  access: access.userToken,
  body: z.strictObject({ code: z.string().check(z.maxLength(CODE_LENGTH_MAX)) }),
  response: data(z.strictObject({ authToken: z.string(), unusedCount: z.number() })),
  errors: ["ERR_INVALID_RECOVERY_CODE", "ERR_2FA_ENROLLMENT_REQUIRED", "ERR_TOO_MANY_REQUESTS"],
});
