import { confirmCheckout, getBilling, startCheckout, whoami } from "@lightkeeper/contract";
import { describe, expect, it } from "vitest";
import { errorCodesOf } from "../../testing/request-errors.ts";
import { MINUTE_MS } from "../../testing/server.ts";
import {
  addHosts,
  beginCheckout,
  billingEntries,
  deliver,
  eventOf,
  server,
  stripe,
  useStripe,
} from "../../testing/stripe/stripe-fixture.ts";

useStripe();

describe("the checkout", () => {
  it("redirects to Stripe with the number of hosts, and the webhook sets the plan", async () => {
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
    const session = await beginCheckout(person);
    expect(session.quantity).toBe(2);
    expect(stripe.customers.get(session.customer)).toMatchObject({
      email: person.email,
      organizationID: person.organizationID,
    });
    expect((await person.call(getBilling)).status).toBe("pending");

    const subscription = stripe.pay(session);
    expect(
      await deliver(eventOf("checkout.session.completed", { object: "checkout.session", ...session })),
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
    const first = await beginCheckout(person);
    const forget = "update billing_accounts set checkout_session_id = null, checkout_expires_at = null";
    await server.query(`${forget}, customer_id = null where organization_id = $1`, [person.organizationID]);
    expect((await beginCheckout(person)).id).toBe(first.id);
  });

  it("that was paid is not started again", async () => {
    const person = await server.signUp();
    const session = await beginCheckout(person);
    stripe.pay(session);
    // The webhook is late.
    expect((await person.call(startCheckout)).url).toBe(
      "http://localhost:8080/settings/billing/upgrade-pending",
    );
    expect((await person.call(getBilling)).plan).toBe("pro");
  });

  it("starts again after the last session expired", async () => {
    const person = await server.signUp();
    const session = await beginCheckout(person);
    session.status = "expired";
    expect((await beginCheckout(person)).id).not.toBe(session.id);
  });

  it("is noticed even if its webhook is lost", async () => {
    const person = await server.signUp();
    stripe.pay(await beginCheckout(person));
    server.advance(2 * MINUTE_MS);
    await server.app.billing.drain();
    expect((await person.call(getBilling)).plan).toBe("pro");
  });
});
