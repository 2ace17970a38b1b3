import {
  deleteOrganization,
  downgradePlan,
  getBilling,
  listInvoices,
  openBillingPortal,
  startCheckout,
} from "@lightkeeper/contract";
import { describe, expect, it } from "vitest";
import { requestErrorOf, outcomeOf, errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import { MINUTE_MS } from "../../testing/server.ts";
import { type Subscription, subscriptionObject } from "../../testing/stripe/objects.ts";
import { signEvent } from "../../testing/stripe/sign-event.ts";
import {
  addHosts,
  beginCheckout,
  billingEntries,
  createSubscriber,
  deliver,
  deliverChange,
  eventOf,
  server,
  stripe,
  useStripe,
} from "../../testing/stripe/stripe-fixture.ts";

useStripe();

describe("a webhook", () => {
  it("is rejected if it is unsigned, wrongly signed, changed or older than five minutes", async () => {
    const { subscription } = await createSubscriber();
    const object = { ...subscriptionObject(subscription), customer: subscription.customer };
    const requestCount = stripe.requests.length;
    const good = eventOf("customer.subscription.updated", object);
    expect(await deliver({ payload: good.payload })).toBe(400);
    expect(await deliver({ signature: good.signature })).toBe(400);
    expect(await deliver({ ...good, payload: good.payload.replace("active", "paused") })).toBe(400);
    const at = server.ctx.clock();
    expect(
      await deliver(signEvent("customer.subscription.updated", object, { at, secret: "whsec_other" })),
    ).toBe(400);
    const old = new Date(at.getTime() - 301_000);
    expect(await deliver(eventOf("customer.subscription.updated", object, old))).toBe(400);
    expect(stripe.requests).toHaveLength(requestCount);
    expect(await deliver(good)).toBe(200);
  });

  it("changes nothing when it is replayed, also concurrently", async () => {
    const person = await createSubscriber();
    const before = [await person.call(getBilling), await billingEntries(person)];
    const object = { ...subscriptionObject(person.subscription), customer: person.subscription.customer };
    const event = eventOf("customer.subscription.updated", object);
    expect(await Promise.all([event, event, event, event].map(deliver))).toEqual([200, 200, 200, 200]);
    expect([await person.call(getBilling), await billingEntries(person)]).toEqual(before);
  });

  it("that arrives after a later webhook does not restore the old state", async () => {
    const person = await createSubscriber();
    const { subscription } = person;
    const active = eventOf("customer.subscription.updated", {
      ...subscriptionObject(subscription),
      customer: subscription.customer,
    });
    subscription.status = "canceled";
    expect(await deliverChange(subscription, "customer.subscription.deleted")).toBe(200);
    expect(await deliver(active)).toBe(200);
    expect(await person.call(getBilling)).toMatchObject({
      plan: "free",
      status: "canceled",
      currentPeriodEnd: null,
    });
  });

  it("that is processed during a change does not restore the old state", async () => {
    const person = await createSubscriber();
    const { subscription } = person;
    subscription.status = "past_due";
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const requested = new Promise<void>((resolve) => {
      stripe.beforeResponse = ({ path }) => {
        if (path !== "/v1/subscriptions") return undefined;
        stripe.beforeResponse = undefined;
        resolve();
        return released;
      };
    });
    const slow = deliverChange(subscription);
    await requested;
    subscription.status = "canceled";
    expect(await deliverChange(subscription, "customer.subscription.deleted")).toBe(200);
    release();
    expect(await slow).toBe(200);
    expect(await person.call(getBilling)).toMatchObject({ plan: "free", status: "canceled" });
  });

  it("of an unknown type or customer is accepted and ignored", async () => {
    const requestCount = stripe.requests.length;
    expect(
      await deliver(eventOf("charge.refunded", { object: "charge", id: "ch_1", customer: "cus_x" })),
    ).toBe(200);
    expect(
      await deliver(eventOf("invoice.paid", { object: "invoice", id: "in_1", customer: "cus_other" })),
    ).toBe(200);
    expect(stripe.requests).toHaveLength(requestCount);
  });

  it("stores the state of Stripe", async () => {
    const person = await createSubscriber();
    const { subscription } = person;
    const stateAfter = async (changes: Partial<Subscription>) => {
      Object.assign(subscription, changes);
      await deliverChange(subscription);
      const { plan, status } = await person.call(getBilling);
      return [plan, status];
    };
    expect(await stateAfter({ status: "past_due" })).toEqual(["pro", "pastDue"]);
    expect(await stateAfter({ status: "unpaid" })).toEqual(["pro", "pastDue"]);
    expect(await stateAfter({ status: "active", cancel_at: subscription.periodEnd })).toEqual([
      "pro",
      "canceled",
    ]);
    expect(await stateAfter({ cancel_at: null })).toEqual(["pro", "active"]);
    expect(await stateAfter({ status: "incomplete" })).toEqual(["free", "pending"]);
    expect(await stateAfter({ status: "canceled" })).toEqual(["free", "canceled"]);
  });
});

describe("the number of hosts", () => {
  it("is reported to Stripe, once for many changes", async () => {
    const person = await createSubscriber();
    await addHosts(person, 3);
    server.advance(MINUTE_MS);
    const reports = () =>
      stripe.requests.filter(({ path }) => path === `/v1/subscription_items/si_${person.subscription.id}`);
    const before = reports().length;
    await server.app.billing.drain();
    await server.app.billing.drain();
    expect(reports().length - before).toBe(1);
    expect(person.subscription.quantity).toBe(3);
  });

  it("is reported later if Stripe is down", async () => {
    const person = await createSubscriber();
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
    const person = await createSubscriber();
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
    const person = await createSubscriber();
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
    const person = await createSubscriber();
    await person.call(downgradePlan);
    const again = stripe.pay(await beginCheckout(person));
    await deliverChange(again);
    expect((await person.call(getBilling)).plan).toBe("pro");
  });

  it("that a killed server did not record is recorded at the next request", async () => {
    const person = await createSubscriber();
    person.subscription.status = "canceled";
    const both = [person.call(downgradePlan), person.call(downgradePlan)];
    expect(await Promise.all(both.map(outcomeOf))).toContain("done");
    expect((await person.call(getBilling)).plan).toBe("free");
  });
});

describe("a deleted organization", () => {
  it("can no longer be paid for", async () => {
    const person = await server.signUp();
    const session = await beginCheckout(person);
    await person.call(deleteOrganization, { params: { organizationID: person.organizationID } });
    server.advance(MINUTE_MS);
    await server.app.billing.drain();
    expect(session.status).toBe("expired");

    const late = await server.signUp();
    const subscription = stripe.pay(await beginCheckout(late));
    await late.call(deleteOrganization, { params: { organizationID: late.organizationID } });
    expect(await deliverChange(subscription)).toBe(200);
    expect(subscription.status).toBe("canceled");
    expect(
      await server.query("select 1 from billing_accounts where organization_id = $1", [late.organizationID]),
    ).toEqual([]);
  });
});

describe("while Stripe is not responding", () => {
  it("requests fail with ERR_UNAVAILABLE, stored data is shown, and webhooks are retried", async () => {
    const person = await createSubscriber();
    const fresh = await server.signUp();
    stripe.isDown = true;
    expect((await requestErrorOf(fresh.call(startCheckout))).response.status).toBe(503);
    for (const endpoint of [openBillingPortal, downgradePlan, listInvoices])
      expect(await errorsOf(person.call(endpoint))).toEqual([
        { code: "ERR_UNAVAILABLE", message: "the payment provider is not responding" },
      ]);
    expect((await person.call(getBilling)).plan).toBe("pro");
    person.subscription.status = "canceled";
    expect(await deliverChange(person.subscription)).toBe(503);
    stripe.isDown = false;
    expect(await deliverChange(person.subscription)).toBe(200);
    expect((await person.call(getBilling)).plan).toBe("free");
  });
});
