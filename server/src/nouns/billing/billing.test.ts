import {
  confirmCheckout,
  createHostV2,
  createNetwork,
  downgradePlan,
  getBilling,
  listInvoices,
  openBillingPortal,
  startCheckout,
  whoami,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PRODUCTION } from "../../testing/production.ts";
import { outcomeOf, errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import { insertSsoUser } from "../../testing/sso-users.ts";
import { startTestServer, type TestServer } from "../../testing/server.ts";

describe("the built-in provider", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ environment: { FREE_PLAN_HOST_LIMIT: "1" } });
  });
  afterAll(() => server.close());

  it("upgrades immediately, removes the limit, and can be downgraded", async () => {
    const { call } = await server.signUp();
    const { id: networkID } = await call(createNetwork, { body: { name: "Sold" } });
    const add = (name: string) => call(createHostV2, { body: { name, networkID } });
    await add("first");
    expect(await errorsOf(add("second"))).toMatchObject([
      { code: "ERR_LIMIT_EXCEEDED", extra: { limit: 1 } },
    ]);
    const free = { plan: "free", provider: "builtin", hostCount: 1, hostLimit: 1, currentPeriodEnd: null };
    expect(await call(getBilling)).toEqual({ ...free, status: "none" });
    expect(await call(startCheckout)).toEqual({ url: "http://localhost:8080/settings/billing/checkout" });

    await call(confirmCheckout);
    expect(await call(getBilling)).toMatchObject({ plan: "pro", hostLimit: null, status: "active" });
    await add("second");
    expect(await errorCodesOf(call(startCheckout))).toEqual(["ERR_BILLING_INVALID_STATE"]);
    expect(await errorCodesOf(call(openBillingPortal))).toEqual(["ERR_BILLING_INVALID_STATE"]);
    expect(await call(listInvoices)).toEqual([]);

    await call(downgradePlan);
    // Existing hosts stay; none can be added.
    expect(await call(getBilling)).toEqual({ ...free, hostCount: 2, status: "canceled" });
    expect(await errorCodesOf(add("third"))).toEqual(["ERR_LIMIT_EXCEEDED"]);
  });

  it("upgrades once with five concurrent requests", async () => {
    const { call, organizationID } = await server.signUp();
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => outcomeOf(call(confirmCheckout))));
    expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(1);
    const entries = await server.query(
      "select actor ->> 'type' as actor, before, after from audit_logs where organization_id = $1 and target_type = 'billing'",
      [organizationID],
    );
    const unpaid = { currentPeriodEnd: null, paymentMethod: null };
    expect(entries).toEqual([
      {
        actor: "user",
        before: { plan: "free", status: "none", ...unpaid },
        after: { plan: "pro", status: "active", ...unpaid },
      },
    ]);
  });

  it("can be used by owners and seen by everyone [S6.1]", async () => {
    const owner = await server.signUp();
    const sso = server.client(await insertSsoUser(server, owner));
    const administrator = await server.signUp();
    await server.query("update users set role = 'administrator' where id = $1", [administrator.userID]);
    for (const call of [sso, administrator.call]) {
      expect((await call(getBilling)).plan).toBe("free");
      for (const endpoint of [startCheckout, confirmCheckout, openBillingPortal, downgradePlan])
        expect(await errorCodesOf(call(endpoint))).toEqual(["ERR_FORBIDDEN"]);
    }
  });
});

describe("without a provider", () => {
  it("the plan is self-hosted, also for existing organizations", async () => {
    const server = await startTestServer({
      environment: {
        ...PRODUCTION,
        APP_URL: "https://keeper.example",
        SIGNUP: "open",
      },
    });
    try {
      const { call, organizationID } = await server.signUp();
      const unlimited = {
        plan: "selfHosted",
        provider: "none",
        hostCount: 0,
        hostLimit: null,
        status: "none",
        currentPeriodEnd: null,
      };
      expect(await call(getBilling)).toEqual(unlimited);
      await server.query("update organizations set plan = 'free' where id = $1", [organizationID]);
      await server.app.billing.drain();
      expect(await call(getBilling)).toEqual(unlimited);
      expect((await call(whoami)).organization.plan).toBe("selfHosted");
      for (const endpoint of [startCheckout, confirmCheckout, openBillingPortal, downgradePlan])
        expect(await errorCodesOf(call(endpoint))).toEqual(["ERR_BILLING_INVALID_STATE"]);
    } finally {
      await server.close();
    }
  });
});
