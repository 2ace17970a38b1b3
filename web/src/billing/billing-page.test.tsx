import {
  downgradePlan,
  getBilling,
  getFeatureFlags,
  listInvoices,
  openBillingPortal,
  whoami,
  type Billing,
  type CurrentUser,
  type Invoice,
} from "@lightkeeper/contract";
import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { routes } from "../app/router.tsx";
import { invalidateNoun } from "../lib/query.ts";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { billing, oidcUser, paidBilling, user } from "../testing/samples.ts";
import { failure, transport } from "../testing/transport.ts";

beforeEach(() => {
  signIn();
  location.hash = "";
});

const served = (shown: Billing = billing, person: CurrentUser = user, invoices: Invoice[] = []) =>
  transport()
    .on(whoami, () => person)
    .on(getFeatureFlags, () => ({}))
    .on(getBilling, () => shown)
    .on(listInvoices, () => invoices);
const open = (at = "/settings/billing") => renderRoutes(routes, at);
const planCard = async (name: string) => within(await screen.findByRole("region", { name }));
const administrator: CurrentUser = { ...user, actor: { ...user.actor, role: "administrator" } };

describe("the plan", () => {
  it("shows how much of the Free plan is used, as a bar and as text [S1.1] [S2.19]", async () => {
    served();
    open();
    const card = await planCard("Free plan");
    expect(document.title).toBe("Billing - Lightkeeper");
    const meter = card.getByRole("meter", { name: "82 of 100 hosts 18 left." });
    expect(meter.getAttribute("aria-valuenow")).toBe("82");
    expect(card.getByRole("link", { name: "Upgrade to Pro" }).getAttribute("href")).toBe(
      "/settings/billing/checkout",
    );
    expect(await screen.findByText("No invoices yet.")).toBeDefined();
  });

  it.each([
    [{ hostCount: 100 }, "100 of 100 hosts You can’t add more hosts.", "100"],
    [
      { hostCount: 142 },
      "142 of 100 hosts 42 over the limit. All hosts keep working, but you can’t add more.",
      "100",
    ],
    [{ hostCount: 0, hostLimit: 0 }, "0 of 0 hosts You can’t add more hosts.", "100"],
  ])("shows that the limit is reached: %o", async (usage, words, now) => {
    served({ ...billing, ...usage });
    open();
    const meter = await screen.findByRole("meter", { name: words });
    expect(meter.getAttribute("aria-valuenow")).toBe(now);
  });

  it("shows the price, next payment and payment method of Pro, and no limit", async () => {
    served(paidBilling);
    open();
    const card = await planCard("Pro plan");
    for (const words of ["Active", "82 hosts", "$82 per month", "December 15, 2026", "Visa ending in 4242"])
      expect(card.getByText(words)).toBeDefined();
    expect(card.queryByRole("meter")).toBeNull();
  });

  it("has nothing to buy on a self-hosted server", async () => {
    const api = served({ ...billing, plan: "selfHosted", provider: "none", hostLimit: null });
    open();
    const card = await planCard("Self-hosted plan");
    expect(card.getByText(/is free and has no host limit/)).toBeDefined();
    expect(card.queryByRole("link")).toBeNull();
    expect(screen.queryByRole("region", { name: "Invoices" })).toBeNull();
    expect(api.calls(listInvoices)).toEqual([]);
  });

  it("shows what failed and retries", async () => {
    const api = served().on(getBilling, () => {
      throw failure("ERR_UNAVAILABLE", {}, "request-7");
    });
    const { user: person } = open();
    expect((await screen.findByRole("alert")).textContent).toContain("request-7");
    api.on(getBilling, () => billing);
    await person.click(screen.getByRole("button", { name: "Try again" }));
    await planCard("Free plan");
  });
});

describe("the status of the subscription", () => {
  it.each([
    [{ ...paidBilling, status: "pastDue" as const }, "alert", /The last payment failed/, "Update payment"],
    [{ ...paidBilling, status: "canceled" as const }, "status", /ends on December 15, 2026/, "Keep Pro"],
  ])("is shown with a link to the payment provider", async (shown, role, words, button) => {
    served(shown).on(openBillingPortal, () => ({ url: `${location.origin}/#portal` }));
    const { user: person } = open();
    expect((await screen.findByText(words)).closest(`[role=${role}]`)).not.toBeNull();
    await person.click(await screen.findByRole("button", { name: button }));
    await waitFor(() => expect(location.hash).toBe("#portal"));
  });

  it("is shown for an unfinished checkout", async () => {
    served({ ...billing, status: "pending" });
    open();
    expect(await screen.findByText(/Your upgrade isn’t paid yet/)).toBeDefined();
    const link = await screen.findByRole("link", { name: "Continue checkout" });
    expect(link.getAttribute("href")).toBe("/settings/billing/checkout");
  });

  it("isn't shown after a downgrade to Free", async () => {
    served({ ...billing, status: "canceled" });
    open();
    const card = await planCard("Free plan");
    expect(card.queryByText("Canceled")).toBeNull();
    expect(card.getByRole("link", { name: "Upgrade to Pro" })).toBeDefined();
  });

  it("shows when the payment provider doesn't respond", async () => {
    served(paidBilling).on(openBillingPortal, () => {
      throw failure("ERR_UNAVAILABLE");
    });
    const { user: person } = open();
    await person.click(await screen.findByRole("button", { name: "Manage payment" }));
    expect(await screen.findByText(/The payment provider isn’t responding/)).toBeDefined();
  });
});

describe("the invoices", () => {
  const invoice: Invoice = {
    id: "in_1",
    number: "A-1",
    status: "paid",
    totalMinor: 8200,
    currency: "usd",
    createdAt: "2026-11-15T09:00:00Z",
    url: "https://invoice.example/in_1",
  };

  it("are listed with their amount, status and a link", async () => {
    const yen: Invoice = { ...invoice, id: "in_2", number: null, status: "open", currency: "jpy", url: null };
    served(paidBilling, user, [invoice, yen]);
    open();
    const link = await screen.findByRole("link", { name: "A-1, opens in a new tab" });
    expect(link.getAttribute("href")).toBe(invoice.url);
    const rows = screen.getAllByRole("listitem").map(({ textContent }) => textContent);
    expect(rows).toContain("November 15, 2026A-1, opens in a new tab$82.00Paid");
    expect(rows).toContain("November 15, 2026Invoice¥8,200Open");
  });

  it("don't affect the rest of the page when they can't be loaded", async () => {
    served(paidBilling).on(listInvoices, () => {
      throw failure("ERR_UNAVAILABLE", {}, "request-8");
    });
    open();
    await planCard("Pro plan");
    expect((await screen.findByRole("alert")).textContent).toContain("request-8");
  });
});

describe("the downgrade", () => {
  it("explains the consequences, works by keyboard, and updates the page", async () => {
    const api = served(paidBilling).on(downgradePlan, () => ({}));
    const { user: person, path } = open();
    (await screen.findByRole("link", { name: "Downgrade to Free…" })).focus();
    await person.keyboard("{Enter}");
    const dialog = within(await screen.findByRole("alertdialog", { name: "Downgrade to Free?" }));
    expect(dialog.getByText(/Pro ends immediately\. .*credited.*Your 82 hosts keep working/)).toBeDefined();
    expect(document.title).toBe("Downgrade to Free - Lightkeeper");
    api.on(getBilling, () => ({ ...billing, status: "canceled" as const }));
    await person.keyboard("{Tab}{Enter}");
    await planCard("Free plan");
    await waitFor(() => expect(document.title).toBe("Billing - Lightkeeper"));
    expect(path()).toBe("/settings/billing");
    expect(api.calls(downgradePlan)).toHaveLength(1);
  });

  it("shows why it failed", async () => {
    served(paidBilling).on(downgradePlan, () => {
      throw failure("ERR_BILLING_INVALID_STATE");
    });
    const { user: person } = open("/settings/billing/downgrade");
    const dialog = within(await screen.findByRole("alertdialog"));
    await person.click(dialog.getByRole("button", { name: "Downgrade" }));
    expect((await dialog.findByRole("alert")).textContent).toMatch(/The plan has changed/);
  });
});

it("confirms an upgrade, but only after an upgrade [S2.19]", async () => {
  const api = served(paidBilling);
  const { user: person, path, router } = open("/settings/billing/upgrade-success");
  expect(await screen.findByRole("dialog", { name: "You’re on Pro" })).toBeDefined();
  expect(document.title).toBe("Upgrade successful - Lightkeeper");
  await person.keyboard("{Escape}");
  await waitFor(() => expect(path()).toBe("/settings/billing"));
  api.on(getBilling, () => billing);
  await act(() => invalidateNoun("billing"));
  await planCard("Free plan");
  await act(() => router.navigate("/settings/billing/upgrade-success"));
  await waitFor(() => expect(path()).toBe("/settings/billing"));
  expect(screen.queryByRole("dialog")).toBeNull();
});

describe("people who can't buy", () => {
  it.each([
    ["a single sign-on user", oidcUser],
    ["an administrator", administrator],
  ])("see the plan and can't change it at any URL [S6.1] [S2.19]: %s", async (_, person) => {
    served(paidBilling, person);
    const { path, router } = open();
    const card = await planCard("Pro plan");
    expect(card.getByText(/Only owners/)).toBeDefined();
    for (const act of ["Manage payment", "Downgrade to Free…"]) expect(card.queryByText(act)).toBeNull();
    const rejected = ["checkout", "upgrade-pending", "downgrade"];
    for (const at of [...rejected.map((page) => `/settings/billing/${page}`), "/signup/pro"]) {
      await act(() => router.navigate(at));
      await waitFor(() => expect([at, path()]).toEqual([at, "/settings/billing"]));
      expect(screen.queryByRole("alertdialog")).toBeNull();
    }
  });
});
