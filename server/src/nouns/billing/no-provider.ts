/** Nothing is sold: whoever runs this server for themselves has no limits. */
import type { Context } from "../../infrastructure/context/context.ts";
import { type AuditEntry, done, unchanged } from "../../infrastructure/db/audited.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { BillingProvider } from "./provider.ts";

const AT_ONCE = 100;

export function createNoProvider(ctx: Context): BillingProvider {
  const refuse = () => Promise.reject(new ApiError("ERR_BILLING_INVALID_STATE"));

  /** Organizations that were made where there was something to buy. */
  const liftLimits = () =>
    ctx.audited(async (tx) => {
      const limited = await tx
        .selectFrom("organizations")
        .select("id")
        .where("plan", "=", "free")
        .limit(AT_ONCE)
        .execute();
      if (limited.length === 0) return unchanged(0);
      const lifted = await tx
        .updateTable("organizations")
        .set({ plan: "selfHosted" })
        .where("plan", "=", "free")
        .where(
          "id",
          "in",
          limited.map(({ id }) => id),
        )
        .returning("id")
        .execute();
      const [first, ...others] = lifted.map(({ id }): AuditEntry => ({
        organizationID: id,
        actor: { type: "system" },
        target: { type: "billing", id },
        event: "UPDATED",
        before: { plan: "free" },
        after: { plan: "selfHosted" },
      }));
      return first ? done(lifted.length, first, ...others) : unchanged(0);
    });

  return {
    kind: "none",
    checkout: refuse,
    confirm: refuse,
    portal: refuse,
    downgrade: refuse,
    invoices: () => Promise.resolve([]),
    receive: () => Promise.reject(new ApiError("ERR_NOT_FOUND")),
    async work(isStopped) {
      while (!isStopped() && (await liftLimits()) > 0);
    },
  };
}
