import { Secret, TOTP } from "otpauth";
import type { AuthenticatorRow } from "./totp.queries.ts";

export const PERIOD_SECONDS = 30;

const stepAt = (now: Date) => Math.floor(now.getTime() / 1000 / PERIOD_SECONDS);

/** Returns the time step of a code, allowing one step of drift; undefined if the code is wrong. */
export function findStep(secret: Buffer, code: string, now: Date): number | undefined {
  const digits = code.replace(/\s/g, "");
  if (!/^\d{6}$/.test(digits)) return undefined;
  const totp = new TOTP({
    secret: new Secret({ buffer: new Uint8Array(secret).buffer }),
    period: PERIOD_SECONDS,
  });
  const delta = totp.validate({ token: digits, window: 1, timestamp: now.getTime() });
  return delta === null ? undefined : stepAt(now) + delta;
}

type UsedSteps = Pick<AuthenticatorRow, "last_used_step" | "recent_steps">;

/** A code is accepted once and must be newer than the last one, unless the clock was set back since. */
export function isCodeUsed({ last_used_step, recent_steps }: UsedSteps, step: number, now: Date): boolean {
  if (step === last_used_step || recent_steps.includes(step)) return true;
  const isFromFuture = last_used_step > stepAt(now) + 1;
  return !isFromFuture && step < last_used_step;
}
