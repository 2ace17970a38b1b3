/** Charges nothing, so that every billing screen can be tried on a local server. */
import type { Context } from "../../infrastructure/context/context.ts";
import { lockOrganizationForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { authorOf, type Organization, type User } from "../../infrastructure/http/actor.ts";
import { ENDED_SUBSCRIPTION, saveSubscription, type PlanSubscription } from "./billing.service.ts";
import type { BillingProvider } from "./provider.ts";

const UPGRADED: PlanSubscription = {
  plan: "pro",
  status: "active",
  currentPeriodEnd: null,
  paymentMethod: null,
};

export function createBuiltinProvider(ctx: Context): BillingProvider {
  /** Checks the plan again under the lock, so that only one of two concurrent changes succeeds. */
  const change = (person: User, from: Organization["plan"], subscription: PlanSubscription) =>
    ctx.audited(async (tx) => {
      const organization = await lockOrganizationForNoKeyUpdate(tx, person.organization.id);
      if (organization?.plan !== from) throw new ApiError("ERR_BILLING_INVALID_STATE");
      return saveSubscription(tx, authorOf(person), subscription);
    });

  return {
    kind: "builtin",
    async checkout({ organization }) {
      if (organization.plan !== "free") throw new ApiError("ERR_BILLING_INVALID_STATE");
      return `${ctx.config.appURL}/settings/billing/checkout`;
    },
    confirm: (person) => change(person, "free", UPGRADED),
    downgrade: (person) => change(person, "pro", ENDED_SUBSCRIPTION),
    portal: () => Promise.reject(new ApiError("ERR_BILLING_INVALID_STATE")),
    invoices: () => Promise.resolve([]),
    receive: () => Promise.reject(new ApiError("ERR_NOT_FOUND")),
    work: () => Promise.resolve(),
  };
}
