import { RequestError } from "@lightkeeper/contract";
import { messageOf } from "../lib/errors.ts";
import type { Rule } from "../lib/messages.ts";

export const billingRules: readonly Rule[] = [
  {
    codes: ["ERR_BILLING_INVALID_STATE"],
    message: "The plan has changed. Go back to Billing to see the current plan.",
  },
];

/** The message of an error of a billing call, which must use `billingRules`. */
export function billingFailure(error: Error): string {
  if (error instanceof RequestError && error.response.status === 503)
    return "The payment provider isn’t responding. Nothing has changed. Try again in a few minutes.";
  return messageOf(error);
}
