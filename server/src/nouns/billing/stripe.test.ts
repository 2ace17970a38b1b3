import {
  confirmCheckout,
  createHostV2,
  createNetwork,
  deleteOrganization,
  downgradePlan,
  getBilling,
  listAuditLogs,
  listInvoices,
  openBillingPortal,
  receiveBillingEvent,
  startCheckout,
  whoami,
} from "@lightkeeper/contract";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { requestErrorOf, outcomeOf, errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import { MINUTE_MS, type Session as Person, startTestServer, type TestServer } from "../../testing/server.ts";
import { STRIPE_ENVIRONMENT } from "../../testing/stripe/environment.ts";
import { type FakeStripe, startFakeStripe } from "../../testing/stripe/fake-stripe.ts";
import { type Subscription, subscriptionObject } from "../../testing/stripe/objects.ts";
import { signEvent } from "../../testing/stripe/sign-event.ts";

let stripe: FakeStripe;
let server: TestServer;
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

type Signed = ReturnType<typeof signEvent>;

async function deliver({ payload, signature }: Partial<Signed>) {
  const response = await fetch(new URL(receiveBillingEvent.path, server.url), {
    method: "POST",
    headers: { "content-type": "application/json", ...(signature && { "stripe-signature": signature }) },
    ...(payload !== undefined && { body: payload }),
  });
  return response.status;
}

const said = (type: string, object: object, at = server.ctx.clock()) => signEvent(type, object, { at });
const news = (subscription: Subscription, type = "customer.subscription.updated") =>
  deliver(said(type, { ...subscriptionObject(subscription), customer: subscription.customer }));

const sessionAt = (url: string) => {
  const session = stripe.sessions.get(url.split("/").at(-1) ?? "");
  if (!session) throw new Error(`There is no session ${url}`);
  return session;
};
const begin = async ({ call }: Person) => sessionAt((await call(startCheckout)).url);

/** Signed up and paid. */
async function upgraded() {
  const person = await server.signUp();
  const subscription = stripe.pay(await begin(person));
  expect(await news(subscription, "customer.subscription.created")).toBe(200);
  return { ...person, subscription };
}

async function addHosts({ call }: Person, count: number): Promise<void> {
  const { id: networkID } = await call(createNetwork, { body: { name: "Sold" } });
  for (let i = 1; i <= count; i++) await call(createHostV2, { body: { name: `host-${i}`, networkID } });
}

async function billingEntries({ call }: Person) {
  const { data } = await call(listAuditLogs, { query: { "filter.targetType": "billing" } });
  return data.map(({ actor, event }) => [actor.type, event.type, event.before, event.after]);
}

describe("the checkout", () => {
  it("leads to Stripe with the number of hosts, and the webhook sets the plan", async () => {
    const person = await server.signUp();
    await addHosts(person, 2);
    expect(await person.call(getBilling)).toEqual({
      plan: "free",
      provider: "stripe",
      hostCount: 2,
      hostLimit: 100,
      status: "none",
      currentPeriodEnd: null,
    });
    const session = await begin(person);
    expect(session.quantity).toBe(2);
    expect(stripe.customers.get(session.customer)).toMatchObject({
      email: person.email,
      organizationID: person.organizationID,
    });
    expect((await person.call(getBilling)).status).toBe("pending");

    const subscription = stripe.pay(session);
    expect(
      await deliver(said("checkout.session.completed", { object: "checkout.session", ...session })),
    ).toBe(200);
    expect(await person.call(getBilling)).toEqual({
      plan: "pro",
      provider: "stripe",
      hostCount: 2,
      hostLimit: null,
      status: "active",
      currentPeriodEnd: new Date(subscription.periodEnd * 1000).toISOString(),
      paymentMethod: { kind: "visa", last4: "4242" },
    });
    expect((await person.call(whoami)).organization.plan).toBe("pro");
    expect(await billingEntries(person)).toEqual([
      [
        "system",
        "UPDATED",
        { plan: "free", status: "none", currentPeriodEnd: null, paymentMethod: null },
        expect.objectContaining({ plan: "pro", status: "active" }),
      ],
    ]);
    expect(await errorCodesOf(person.call(startCheckout))).toEqual(["ERR_BILLING_INVALID_STATE"]);
    expect(await errorCodesOf(person.call(confirmCheckout))).toEqual(["ERR_BILLING_INVALID_STATE"]);
  });

  it("is one session, however often it is started, also concurrently", async () => {
    const person = await server.signUp();
    const before = stripe.sessions.size;
    const urls = await Promise.all(Array.from({ length: 5 }, () => person.call(startCheckout)));
    expect(new Set(urls.map(({ url }) => url)).size).toBe(1);
    expect(await person.call(startCheckout)).toEqual(urls[0]);
    expect(stripe.sessions.size).toBe(before + 1);
  });

  it("that was created but not recorded by a killed server is found again", async () => {
    const person = await server.signUp();
    const first = await begin(person);
    const forget = "update billing_accounts set checkout_session_id = null, checkout_expires_at = null";
    await server.query(`${forget}, customer_id = null where organization_id = $1`, [person.organizationID]);
    expect((await begin(person)).id).toBe(first.id);
  });

  it("that was paid is not started again", async () => {
    const person = await server.signUp();
    const session = await begin(person);
    stripe.pay(session);
    // The webhook is late.
    expect((await person.call(startCheckout)).url).toBe(
      "http://localhost:8080/settings/billing/upgrade-pending",
    );
    expect((await person.call(getBilling)).plan).toBe("pro");
  });

  it("starts again after the last one expired", async () => {
    const person = await server.signUp();
    const session = await begin(person);
    session.status = "expired";
    expect((await begin(person)).id).not.toBe(session.id);
  });

  it("is noticed even if its webhook is lost", async () => {
    const person = await server.signUp();
    stripe.pay(await begin(person));
    server.advance(2 * MINUTE_MS);
    await server.app.billing.drain();
    expect((await person.call(getBilling)).plan).toBe("pro");
  });
});

describe("a webhook", () => {
  it("is rejected if it is unsigned, wrongly signed, changed or older than five minutes", async () => {
    const { subscription } = await upgraded();
    const object = { ...subscriptionObject(subscription), customer: subscription.customer };
    const asked = stripe.requests.length;
    const good = said("customer.subscription.updated", object);
    expect(await deliver({ payload: good.payload })).toBe(400);
    expect(await deliver({ signature: good.signature })).toBe(400);
    expect(await deliver({ ...good, payload: good.payload.replace("active", "paused") })).toBe(400);
    const at = server.ctx.clock();
    expect(
      await deliver(signEvent("customer.subscription.updated", object, { at, secret: "whsec_other" })),
    ).toBe(400);
    const old = new Date(at.getTime() - 301_000);
    expect(await deliver(said("customer.subscription.updated", object, old))).toBe(400);
    expect(stripe.requests).toHaveLength(asked);
    expect(await deliver(good)).toBe(200);
  });

  it("changes nothing when it is replayed, also concurrently", async () => {
    const person = await upgraded();
    const before = [await person.call(getBilling), await billingEntries(person)];
    const object = { ...subscriptionObject(person.subscription), customer: person.subscription.customer };
    const event = said("customer.subscription.updated", object);
    expect(await Promise.all([event, event, event, event].map(deliver))).toEqual([200, 200, 200, 200]);
    expect([await person.call(getBilling), await billingEntries(person)]).toEqual(before);
  });

  it("that arrives after a later one does not restore the old state", async () => {
    const person = await upgraded();
    const { subscription } = person;
    const active = said("customer.subscription.updated", {
      ...subscriptionObject(subscription),
      customer: subscription.customer,
    });
    subscription.status = "canceled";
    expect(await news(subscription, "customer.subscription.deleted")).toBe(200);
    expect(await deliver(active)).toBe(200);
    expect(await person.call(getBilling)).toMatchObject({
      plan: "free",
      status: "canceled",
      currentPeriodEnd: null,
    });
  });

  it("that is processed during a change does not restore the old state", async () => {
    const person = await upgraded();
    const { subscription } = person;
    subscription.status = "past_due";
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const isAsked = new Promise<void>((asked) => {
      stripe.beforeResponse = ({ path }) => {
        if (path !== "/v1/subscriptions") return undefined;
        stripe.beforeResponse = undefined;
        asked();
        return held;
      };
    });
    const slow = news(subscription);
    await isAsked;
    subscription.status = "canceled";
    expect(await news(subscription, "customer.subscription.deleted")).toBe(200);
    release();
    expect(await slow).toBe(200);
    expect(await person.call(getBilling)).toMatchObject({ plan: "free", status: "canceled" });
  });

  it("of an unknown type or customer is accepted and ignored", async () => {
    const asked = stripe.requests.length;
    expect(await deliver(said("charge.refunded", { object: "charge", id: "ch_1", customer: "cus_x" }))).toBe(
      200,
    );
    expect(
      await deliver(said("invoice.paid", { object: "invoice", id: "in_1", customer: "cus_other" })),
    ).toBe(200);
    expect(stripe.requests).toHaveLength(asked);
  });

  it("stores the state of Stripe", async () => {
    const person = await upgraded();
    const { subscription } = person;
    const standingAfter = async (changes: Partial<Subscription>) => {
      Object.assign(subscription, changes);
      await news(subscription);
      const { plan, status } = await person.call(getBilling);
      return [plan, status];
    };
    expect(await standingAfter({ status: "past_due" })).toEqual(["pro", "pastDue"]);
    expect(await standingAfter({ status: "unpaid" })).toEqual(["pro", "pastDue"]);
    expect(await standingAfter({ status: "active", cancel_at: subscription.periodEnd })).toEqual([
      "pro",
      "canceled",
    ]);
    expect(await standingAfter({ cancel_at: null })).toEqual(["pro", "active"]);
    expect(await standingAfter({ status: "incomplete" })).toEqual(["free", "pending"]);
    expect(await standingAfter({ status: "canceled" })).toEqual(["free", "canceled"]);
  });
});

describe("the number of hosts", () => {
  it("is reported to Stripe, once for many changes", async () => {
    const person = await upgraded();
    await addHosts(person, 3);
    server.advance(MINUTE_MS);
    const told = () =>
      stripe.requests.filter(({ path }) => path === `/v1/subscription_items/si_${person.subscription.id}`);
    const before = told().length;
    await server.app.billing.drain();
    await server.app.billing.drain();
    expect(told().length - before).toBe(1);
    expect(person.subscription.quantity).toBe(3);
  });

  it("is reported later if Stripe is down", async () => {
    const person = await upgraded();
    await addHosts(person, 2);
    stripe.isDown = true;
    server.advance(MINUTE_MS);
    await server.app.billing.drain();
    stripe.isDown = false;
    expect(person.subscription.quantity).not.toBe(2);
    server.advance(MINUTE_MS);
    await server.app.billing.drain();
    expect(person.subscription.quantity).toBe(2);
  });
});

describe("the portal and the invoices", () => {
  it("are those of Stripe", async () => {
    const person = await upgraded();
    const { url } = await person.call(openBillingPortal);
    expect(url).toBe(`https://portal.stripe.example/${person.subscription.customer}`);
    const invoice = { id: "in_1", number: "A-1", total: 4200, currency: "usd", created: 1_800_000_000 };
    const hosted = "https://invoice.stripe.example/in_1";
    stripe.invoices = [
      { ...invoice, id: "in_2", number: null, status: "draft", hosted_invoice_url: null },
      { ...invoice, status: "paid", hosted_invoice_url: hosted },
    ];
    expect(await person.call(listInvoices)).toEqual([
      {
        id: "in_1",
        number: "A-1",
        status: "paid",
        totalMinor: 4200,
        currency: "usd",
        createdAt: new Date(1_800_000_000_000).toISOString(),
        url: hosted,
      },
    ]);
  });

  it("do not exist before the first purchase", async () => {
    const person = await server.signUp();
    expect(await errorCodesOf(person.call(openBillingPortal))).toEqual(["ERR_BILLING_INVALID_STATE"]);
    expect(await person.call(listInvoices)).toEqual([]);
  });
});

describe("the downgrade", () => {
  it("ends the subscription immediately, is audited, and allows deleting the organization [S8.15]", async () => {
    const person = await upgraded();
    const remove = () =>
      person.call(deleteOrganization, { params: { organizationID: person.organizationID } });
    expect(await errorCodesOf(remove())).toEqual(["ERR_BILLING_INVALID_STATE"]);
    expect(await person.call(downgradePlan)).toEqual({});
    expect(person.subscription.status).toBe("canceled");
    expect(await person.call(getBilling)).toMatchObject({ plan: "free", hostLimit: 100, status: "canceled" });
    expect((await billingEntries(person))[0]?.[0]).toBe("user");
    expect(await errorCodesOf(person.call(downgradePlan))).toEqual(["ERR_BILLING_INVALID_STATE"]);
    expect(await remove()).toEqual({});
  });

  it("can be followed by another upgrade", async () => {
    const person = await upgraded();
    await person.call(downgradePlan);
    const again = stripe.pay(await begin(person));
    await news(again);
    expect((await person.call(getBilling)).plan).toBe("pro");
  });

  it("that a killed server did not record is recorded at the next request", async () => {
    const person = await upgraded();
    person.subscription.status = "canceled";
    const both = [person.call(downgradePlan), person.call(downgradePlan)];
    expect(await Promise.all(both.map(outcomeOf))).toContain("done");
    expect((await person.call(getBilling)).plan).toBe("free");
  });
});

describe("a deleted organization", () => {
  it("can no longer be paid for", async () => {
    const person = await server.signUp();
    const session = await begin(person);
    await person.call(deleteOrganization, { params: { organizationID: person.organizationID } });
    server.advance(MINUTE_MS);
    await server.app.billing.drain();
    expect(session.status).toBe("expired");

    const late = await server.signUp();
    const subscription = stripe.pay(await begin(late));
    await late.call(deleteOrganization, { params: { organizationID: late.organizationID } });
    expect(await news(subscription)).toBe(200);
    expect(subscription.status).toBe("canceled");
    expect(
      await server.query("select 1 from billing_accounts where organization_id = $1", [late.organizationID]),
    ).toEqual([]);
  });
});

describe("while Stripe is not responding", () => {
  it("requests fail with ERR_UNAVAILABLE, stored data is shown, and webhooks are retried", async () => {
    const person = await upgraded();
    const fresh = await server.signUp();
    stripe.isDown = true;
    expect((await requestErrorOf(fresh.call(startCheckout))).response.status).toBe(503);
    for (const endpoint of [openBillingPortal, downgradePlan, listInvoices])
      expect(await errorsOf(person.call(endpoint))).toEqual([
        { code: "ERR_UNAVAILABLE", message: "the payment provider is not responding" },
      ]);
    expect((await person.call(getBilling)).plan).toBe("pro");
    person.subscription.status = "canceled";
    expect(await news(person.subscription)).toBe(503);
    stripe.isDown = false;
    expect(await news(person.subscription)).toBe(200);
    expect((await person.call(getBilling)).plan).toBe("free");
  });
});
