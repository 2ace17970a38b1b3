import { downgradePlan, getBilling, startCheckout, type Billing } from "@lightkeeper/contract";
import { Navigate, useOutletContext } from "react-router";
import { useCurrentUser } from "../lib/current-user.ts";
import { formatCount } from "../lib/format.ts";
import { canCall } from "../lib/permissions.ts";
import { useWrite } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { billingFailure, billingRules } from "./billing-errors.ts";
import { BILLING_PATH } from "./billing-paths.ts";
import { useCloseDialog } from "../lib/use-close-dialog.ts";

export function DowngradeDialog() {
  const billing = useOutletContext<Billing>();
  const { data: person } = useCurrentUser();
  if (!person) return null;
  if (billing.plan !== "pro" || !canCall(person, startCheckout))
    return <Navigate to={BILLING_PATH} replace />;
  return <Downgrade billing={billing} />;
}

function Downgrade({ billing }: { billing: Billing }) {
  usePageTitle("Downgrade to Free");
  const close = useCloseDialog(BILLING_PATH);
  const { mutate, isPending, error } = useWrite(downgradePlan, {
    invalidates: [getBilling.noun, "auth"],
    onSuccess: () => {
      toast("You’re on the Free plan", { tone: "ok" });
      close();
    },
    rules: billingRules,
  });
  const credit = billing.provider === "stripe" && " The rest of this month is credited to you.";
  return (
    <ConfirmDialog
      open
      danger
      title="Downgrade to Free?"
      consequence={
        <>
          Pro ends immediately.{credit} {describeHostLimit(billing.hostCount)}
        </>
      }
      confirmLabel="Downgrade"
      pending={isPending}
      error={error ? billingFailure(error) : undefined}
      onClose={close}
      onConfirm={() => mutate()}
    />
  );
}

function describeHostLimit(hostCount: number): string {
  if (hostCount === 0) return "The Free plan’s host limit applies from then on.";
  const hosts = hostCount === 1 ? "Your host keeps" : `Your ${formatCount(hostCount, "host")} keep`;
  return `${hosts} working, but you can’t add hosts beyond the Free plan’s limit.`;
}
