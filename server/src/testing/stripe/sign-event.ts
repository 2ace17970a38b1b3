import { Stripe } from "stripe";
import { STRIPE_ENVIRONMENT } from "./environment.ts";
import { newID } from "./objects.ts";

/** Returns a webhook event, signed at the time `at`. */
export function signEvent(
  type: string,
  object: object,
  { at = new Date(), secret = STRIPE_ENVIRONMENT.STRIPE_WEBHOOK_SECRET }: { at?: Date; secret?: string } = {},
): { payload: string; signature: string } {
  const timestamp = Math.floor(at.getTime() / 1000);
  const payload = JSON.stringify({
    id: newID("evt"),
    object: "event",
    type,
    created: timestamp,
    api_version: Stripe.API_VERSION,
    data: { object },
  });
  const signature = new Stripe("sk_unused").webhooks.generateTestHeaderString({ payload, secret, timestamp });
  return { payload, signature };
}
