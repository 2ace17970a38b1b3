/** A server that bills through the fake Stripe, and its customers. */
import {
  createHostV2,
  createNetwork,
  listAuditLogs,
  receiveBillingEvent,
  startCheckout,
} from "@lightkeeper/contract";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { type Session as Person, startTestServer, type TestServer } from "../server.ts";
import { STRIPE_ENVIRONMENT } from "./environment.ts";
import { type FakeStripe, startFakeStripe } from "./fake-stripe.ts";
import { type Subscription, subscriptionObject } from "./objects.ts";
import { signEvent } from "./sign-event.ts";

export let stripe: FakeStripe;
export let server: TestServer;

/** Registers the hooks that start Stripe and the server, and fail a test after a request that Stripe would reject. */
export function useStripe(): void {
  beforeAll(async () => {
    stripe = await startFakeStripe();
    const environment = { ...STRIPE_ENVIRONMENT, STRIPE_API_BASE: stripe.url };
    server = await startTestServer({ frozen: true, environment });
  });
  afterEach(() => {
    stripe.isDown = false;
    stripe.beforeResponse = undefined;
    const [violation] = stripe.violations.splice(0);
    if (violation) throw new Error(`Stripe would reject the request: ${violation}`);
  });
  afterAll(async () => {
    await server.close();
    await stripe.close();
  });
}

type Signed = ReturnType<typeof signEvent>;

export async function deliver({ payload, signature }: Partial<Signed>) {
  const response = await fetch(new URL(receiveBillingEvent.path, server.url), {
    method: "POST",
    headers: { "content-type": "application/json", ...(signature && { "stripe-signature": signature }) },
    ...(payload !== undefined && { body: payload }),
  });
  return response.status;
}

export const eventOf = (type: string, object: object, at = server.ctx.clock()) =>
  signEvent(type, object, { at });
export const deliverChange = (subscription: Subscription, type = "customer.subscription.updated") =>
  deliver(eventOf(type, { ...subscriptionObject(subscription), customer: subscription.customer }));

const sessionAt = (url: string) => {
  const session = stripe.sessions.get(url.split("/").at(-1) ?? "");
  if (!session) throw new Error(`There is no session ${url}`);
  return session;
};
export const beginCheckout = async ({ call }: Person) => sessionAt((await call(startCheckout)).url);

/** Signs up and pays. */
export async function createSubscriber() {
  const person = await server.signUp();
  const subscription = stripe.pay(await beginCheckout(person));
  expect(await deliverChange(subscription, "customer.subscription.created")).toBe(200);
  return { ...person, subscription };
}

export async function addHosts({ call }: Person, count: number): Promise<void> {
  const { id: networkID } = await call(createNetwork, { body: { name: "Sold" } });
  for (let i = 1; i <= count; i++) await call(createHostV2, { body: { name: `host-${i}`, networkID } });
}

export async function billingEntries({ call }: Person) {
  const { data } = await call(listAuditLogs, { query: { "filter.targetType": "billing" } });
  return data.map(({ actor, event }) => [actor.type, event.type, event.before, event.after]);
}
