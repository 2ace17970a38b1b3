/** Self-hosted servers without a payment provider have no plan limits. */
import type { Context } from "../../infrastructure/context/context.ts";
import { type AuditEntry, done, unchanged } from "../../infrastructure/db/audited.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { liftPlanLimits } from "../organizations/organizations.service.ts";
import type { BillingProvider } from "./provider.ts";

const BATCH_SIZE = 100;

export function createNoProvider(ctx: Context): BillingProvider {
  const rejectBilling = () => Promise.reject(new ApiError("ERR_BILLING_INVALID_STATE"));

  /** Organizations created while a payment provider was configured are still on the Free plan. */
  const liftLimits = () =>
    ctx.audited(async (tx) => {
      const limited = await tx
        .selectFrom("organizations")
        .select("id")
        .where("plan", "=", "free")
        .limit(BATCH_SIZE)
        .execute();
      if (limited.length === 0) return unchanged(0);
      const lifted = await liftPlanLimits(
        tx,
        limited.map(({ id }) => id),
      );
      const [first, ...rest] = lifted.map((id): AuditEntry => ({
        organizationID: id,
        actor: { type: "system" },
        target: { type: "billing", id },
        event: "UPDATED",
        before: { plan: "free" },
        after: { plan: "selfHosted" },
      }));
      return first ? done(lifted.length, first, ...rest) : unchanged(0);
    });

  return {
    kind: "none",
    checkout: rejectBilling,
    confirm: rejectBilling,
    portal: rejectBilling,
    downgrade: rejectBilling,
    invoices: () => Promise.resolve([]),
    receive: () => Promise.reject(new ApiError("ERR_NOT_FOUND")),
    async work(isStopped) {
      while (!isStopped() && (await liftLimits()) > 0);
    },
  };
}
