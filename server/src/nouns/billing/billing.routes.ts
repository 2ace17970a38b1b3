import * as contract from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { createWorker, type Worker } from "../../infrastructure/scheduling/worker.ts";
import { findBilling } from "./billing.queries.ts";
import { billingKindOf, toBilling } from "./billing.service.ts";
import { createBuiltinProvider } from "./builtin-provider.ts";
import { createNoProvider } from "./no-provider.ts";
import type { BillingProvider } from "./provider.ts";
import { createStripeProvider } from "./stripe-provider.ts";

const POLL_MS = 15_000;

function chooseProvider(ctx: Context): BillingProvider {
  if (ctx.config.stripe) return createStripeProvider(ctx, ctx.config.stripe);
  return billingKindOf(ctx.config) === "builtin" ? createBuiltinProvider(ctx) : createNoProvider(ctx);
}

/** Returns the worker that synchronizes organizations with the provider. */
export function serveBilling(routes: Routes, ctx: Context): Worker {
  const provider = chooseProvider(ctx);

  routes.read(contract.getBilling, async ({ person, now }) => {
    const row = await findBilling(ctx.reader, person.organization.id);
    if (!row) throw new ApiError("ERR_UNAUTHORIZED");
    return toBilling(ctx.config, row, now);
  });
  routes.read(contract.listInvoices, ({ person }) => provider.invoices(person.organization.id));

  routes.writeUnaudited(contract.startCheckout, async ({ person }) => ({
    url: await provider.checkout(person),
  }));
  routes.writeUnaudited(contract.confirmCheckout, async ({ person }) => {
    await provider.confirm(person);
    return {};
  });
  routes.writeUnaudited(contract.openBillingPortal, async ({ person }) => ({
    url: await provider.portal(person),
  }));
  routes.writeUnaudited(contract.downgradePlan, async ({ person }) => {
    await provider.downgrade(person);
    return {};
  });

  // As a stream, because the signature covers the raw bytes of the body.
  routes.stream(contract.receiveBillingEvent, async (_call, request) => {
    const signature = request.headers["stripe-signature"];
    const payload = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    await provider.receive(payload, typeof signature === "string" ? signature : undefined);
    return {};
  });

  return createWorker({
    pollMs: POLL_MS,
    work: (isStopped) => provider.work(isStopped),
    onError: (error) => ctx.log.warn({ err: error }, "failed to synchronize billing"),
  });
}
