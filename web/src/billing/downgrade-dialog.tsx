import { downgradePlan, getBilling, startCheckout, type Billing } from "@lightkeeper/contract";
import { Navigate, useOutletContext } from "react-router";
import { useCurrentUser } from "../lib/current-user.ts";
import { formatCount } from "../lib/format.ts";
import { canCall } from "../lib/permissions.ts";
import { useWrite } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { billingFailure, billingRules } from "./billing-words.ts";
import { BILLING_PATH } from "./billing-paths.ts";
import { useCloseDialog } from "./use-close-dialog.ts";

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
  const close = useCloseDialog();
  const { mutate, isPending, error } = useWrite(downgradePlan, {
    invalidates: [getBilling.noun, "auth"],
    onSuccess: () => {
      toast("You are on the Free plan", { tone: "ok" });
      close();
    },
    rules: billingRules,
  });
  const charged = billing.provider === "stripe" && " What is left of this month is credited to you.";
  return (
    <ConfirmDialog
      open
      danger
      title="Downgrade to Free?"
      consequence={
        <>
          Pro ends at once.{charged} {hostsWords(billing.hostCount)}
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

function hostsWords(hostCount: number): string {
  if (hostCount === 0) return "From then on the Free plan's limit on hosts counts.";
  const [all, they] =
    hostCount === 1 ? ["Your host keeps", "it"] : [`Your ${formatCount(hostCount, "host")} keep`, "they"];
  return `${all} working, even if ${they} exceed${hostCount === 1 ? "s" : ""} the Free plan's limit; then none can be added.`;
}
