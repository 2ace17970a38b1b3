/** Takes no money: so that every screen can be tried on one's own machine. */
import type { Context } from "../../infrastructure/context/context.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { authorOf, type Organization, type User } from "../../infrastructure/http/credentials.ts";
import { ENDED, settle, type Standing } from "./billing.service.ts";
import type { BillingProvider } from "./provider.ts";

const UPGRADED: Standing = { plan: "pro", status: "active", currentPeriodEnd: null, paymentMethod: null };

export function createBuiltinProvider(ctx: Context): BillingProvider {
  /** The plan is looked at again where it is changed: of two at once, one comes too late. */
  const change = (person: User, from: Organization["plan"], standing: Standing) =>
    ctx.audited(async (tx) => {
      const { plan } = await tx
        .selectFrom("organizations")
        .select("plan")
        .where("id", "=", person.organization.id)
        .forNoKeyUpdate()
        .executeTakeFirstOrThrow();
      if (plan !== from) throw new ApiError("ERR_BILLING_INVALID_STATE");
      return settle(tx, authorOf(person), standing);
    });

  return {
    kind: "builtin",
    async checkout({ organization }) {
      if (organization.plan !== "free") throw new ApiError("ERR_BILLING_INVALID_STATE");
      return `${ctx.config.appURL}/settings/billing/checkout`;
    },
    confirm: (person) => change(person, "free", UPGRADED),
    downgrade: (person) => change(person, "pro", ENDED),
    portal: () => Promise.reject(new ApiError("ERR_BILLING_INVALID_STATE")),
    invoices: () => Promise.resolve([]),
    receive: () => Promise.reject(new ApiError("ERR_NOT_FOUND")),
    work: () => Promise.resolve(),
  };
}
