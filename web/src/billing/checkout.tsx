import { confirmCheckout, startCheckout, type Billing } from "@lightkeeper/contract";
import { useState } from "react";
import { useNavigate } from "react-router";
import { formatCount } from "../lib/format.ts";
import { useWrite } from "../lib/query.ts";
import { Button, LinkButton } from "../ui/controls/button.tsx";
import { CheckIcon } from "../ui/base/icons.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { billingFailure, billingRules } from "./billing-errors.ts";
import { hostPrice, monthlyPrice } from "./billing-labels.ts";
import { UPGRADE_PENDING_PATH, UPGRADE_SUCCESS_PATH } from "./billing-paths.ts";
import styles from "./billing.module.css";

interface CheckoutProps {
  billing: Billing;
  /** The link for people who don't want to upgrade. */
  cancel: { to: string; label: string };
}

/** Where to redirect once there is nothing to buy. The change event can arrive before the response to the checkout. */
export function useCheckoutRedirect({ plan }: Billing, fallback: string): string | undefined {
  const [initialPlan] = useState(plan);
  if (plan === "free") return undefined;
  return initialPlan === "free" && plan === "pro" ? UPGRADE_SUCCESS_PATH : fallback;
}

export function Checkout({ billing, cancel }: CheckoutProps) {
  const { hostCount, provider, status } = billing;
  const { buy, isPending, failure } = usePurchase(provider);
  return (
    <div className={styles.checkout}>
      <p className={styles.price}>
        <strong>{monthlyPrice(Math.max(1, hostCount))}</strong> per month
      </p>
      <p className={styles.muted}>
        {hostPrice}. You have {formatCount(hostCount, "host")} now. Changes are prorated.
      </p>
      <ul className={styles.benefits}>
        {[
          "No limit on hosts, lighthouses and relays",
          "Downgrade at any time",
          "Your hosts keep working if the plan ends",
        ].map((benefit) => (
          <li key={benefit}>
            <CheckIcon />
            {benefit}
          </li>
        ))}
      </ul>
      {provider === "builtin" && (
        <Notice tone="info">
          This is a local server, so nothing is charged. You’re upgraded immediately.
        </Notice>
      )}
      {failure && <Notice tone="danger">{failure}</Notice>}
      <div className={styles.actions}>
        <Button variant="primary" size="large" pending={isPending} onClick={buy}>
          {buyLabel(provider, status)}
        </Button>
        <LinkButton to={cancel.to} variant="quiet" size="large">
          {cancel.label}
        </LinkButton>
      </div>
    </div>
  );
}

function buyLabel(provider: Billing["provider"], status: Billing["status"]): string {
  if (provider === "builtin") return "Upgrade now";
  return status === "pending" ? "Continue to payment" : "Go to payment";
}

function usePurchase(provider: Billing["provider"]) {
  const navigate = useNavigate();
  const [isLeaving, setLeaving] = useState(false);
  const start = useWrite(startCheckout, {
    onSuccess: ({ url }) => {
      // The button stays busy until the payment page has loaded.
      setLeaving(true);
      location.assign(url);
    },
    rules: billingRules,
  });
  const confirm = useWrite(confirmCheckout, { invalidates: ["auth"], rules: billingRules });
  // Passed to `mutate`, so that it doesn't run if a change event has already redirected.
  const onSuccess = () => void navigate(UPGRADE_PENDING_PATH, { replace: true });
  const isBuiltin = provider === "builtin";
  const { isPending, error } = isBuiltin ? confirm : start;
  return {
    buy: () => (isBuiltin ? confirm.mutate(undefined, { onSuccess }) : start.mutate()),
    isPending: isPending || isLeaving,
    failure: error ? billingFailure(error) : undefined,
  };
}
