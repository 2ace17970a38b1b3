import {
  confirmCheckout,
  getBilling,
  getFeatureFlags,
  listInvoices,
  listNetworksV2,
  startCheckout,
  whoami,
  type Billing,
} from "@lightkeeper/contract";
import { act, screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { routes } from "../app/router.tsx";
import { invalidateNoun } from "../lib/query.ts";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { billing, paidBilling, user } from "../testing/samples.ts";
import { failure, page, transport } from "../testing/transport.ts";

beforeEach(() => {
  signIn();
  location.hash = "";
});

const served = (shown: Billing = billing) =>
  transport()
    .on(whoami, () => user)
    .on(getFeatureFlags, () => ({}))
    .on(listNetworksV2, () => page([]))
    .on(getBilling, () => shown)
    .on(listInvoices, () => []);
const open = (at: string) => renderRoutes(routes, at);
const pending: Billing = { ...billing, status: "pending" };

describe("the checkout", () => {
  it("shows the price and redirects to the payment provider", async () => {
    const api = served().on(startCheckout, () => ({ url: `${location.origin}/#stripe` }));
    const { user: person } = open("/settings/billing/checkout");
    const button = await screen.findByRole("button", { name: "Go to payment" });
    expect(document.title).toBe("Upgrade to Pro - Lightkeeper");
    expect(screen.getByText("$82")).toBeDefined();
    await person.dblClick(button);
    await waitFor(() => expect(location.hash).toBe("#stripe"));
    expect(api.calls(startCheckout)).toHaveLength(1);
    expect(button.getAttribute("aria-busy")).toBe("true");
  });

  it.each([
    [failure("ERR_UNAVAILABLE"), /The payment provider isn’t responding/],
    [failure("ERR_BILLING_INVALID_STATE"), /The plan has changed/],
  ])("shows why it failed, and can be retried", async (rejection, words) => {
    const api = served().on(startCheckout, () => {
      throw rejection;
    });
    const { user: person } = open("/settings/billing/checkout");
    const button = await screen.findByRole("button", { name: "Go to payment" });
    await person.click(button);
    expect((await screen.findByRole("alert")).textContent).toMatch(words);
    await person.click(button);
    await waitFor(() => expect(api.calls(startCheckout)).toHaveLength(2));
  });

  it("confirms immediately where nothing is charged, and shows success", async () => {
    const builtin: Billing = { ...billing, provider: "builtin" };
    const upgraded: Billing = { ...builtin, plan: "pro", hostLimit: null, status: "active" };
    const api = served(builtin).on(confirmCheckout, () => {
      api.on(getBilling, () => upgraded);
      return {};
    });
    const { user: person, path } = open("/settings/billing/checkout");
    expect(await screen.findByText(/nothing is charged/)).toBeDefined();
    await person.click(screen.getByRole("button", { name: "Upgrade now" }));
    expect(await screen.findByRole("dialog", { name: "You’re on Pro" })).toBeDefined();
    expect(path()).toBe("/settings/billing/upgrade-success");
  });

  it.each(["/settings/billing/checkout", "/signup/pro"])(
    "shows success when the change event arrives before the response: %s",
    async (address) => {
      const builtin: Billing = { ...billing, provider: "builtin" };
      const upgraded: Billing = { ...builtin, plan: "pro", hostLimit: null, status: "active" };
      const api = served(builtin).on(confirmCheckout, async () => {
        api.on(getBilling, () => upgraded);
        await invalidateNoun("billing");
        return {};
      });
      const { user: person, path } = open(address);
      await person.click(await screen.findByRole("button", { name: "Upgrade now" }));
      expect(await screen.findByRole("dialog", { name: "You’re on Pro" })).toBeDefined();
      expect(path()).toBe("/settings/billing/upgrade-success");
    },
  );

  it("redirects people who already have the plan", async () => {
    served(paidBilling);
    const { path } = open("/settings/billing/checkout");
    await waitFor(() => expect(path()).toBe("/settings/billing"));
  });

  it("has no navigation after sign-up, and can be skipped [S2.3]", async () => {
    served();
    const { user: person, path } = open("/signup/pro");
    expect(await screen.findByRole("button", { name: "Go to payment" })).toBeDefined();
    expect(screen.queryByRole("navigation")).toBeNull();
    await person.click(screen.getByRole("link", { name: "Stay on Free for now" }));
    await waitFor(() => expect(path()).toBe("/get-started"));
  });
});

describe("the wait for the payment", () => {
  it("ends automatically when the payment is confirmed [S2.19]", async () => {
    const api = served(pending);
    const { path } = open("/settings/billing/upgrade-pending");
    expect(await screen.findByText(/Waiting for the payment provider/)).toBeDefined();
    expect(document.title).toBe("Upgrade pending - Lightkeeper");
    api.on(getBilling, () => paidBilling);
    await act(() => invalidateNoun("billing"));
    expect(await screen.findByRole("dialog", { name: "You’re on Pro" })).toBeDefined();
    expect(path()).toBe("/settings/billing/upgrade-success");
  });

  it("redirects people without a checkout", async () => {
    served();
    const { path } = open("/settings/billing/upgrade-pending");
    await waitFor(() => expect(path()).toBe("/settings/billing"));
  });

  it("shows when it takes long, and keeps polling", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    try {
      const api = served(pending);
      open("/settings/billing/upgrade-pending");
      await screen.findByText(/Waiting for the payment provider/);
      await act(() => vi.advanceTimersByTimeAsync(31_000));
      expect(screen.getByText(/This is taking longer than usual/)).toBeDefined();
      expect(screen.getByRole("link", { name: "I haven’t paid yet" })).toBeDefined();
      expect(api.calls(getBilling).length).toBeGreaterThan(3);
    } finally {
      vi.useRealTimers();
    }
  });
});
