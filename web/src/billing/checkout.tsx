import { confirmCheckout, startCheckout, type Billing } from "@lightkeeper/contract";
import { useState } from "react";
import { useNavigate } from "react-router";
import { formatCount } from "../lib/format.ts";
import { useWrite } from "../lib/query.ts";
import { Button, LinkButton } from "../ui/controls/button.tsx";
import { CheckIcon } from "../ui/base/icons.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { billingFailure, billingRules, hostPrice, monthlyPrice } from "./billing-words.ts";
import { UPGRADE_PENDING_PATH, UPGRADE_SUCCESS_PATH } from "./billing-paths.ts";
import styles from "./billing.module.css";

interface CheckoutProps {
  billing: Billing;
  /** Where somebody goes who does not want to, and what that is called. */
  leave: { to: string; label: string };
}

/** Where to go on from the checkout, once there is nothing to buy. The news of it may overtake the answer. */
export function useWayOn({ plan }: Billing, otherwise: string): string | undefined {
  const [before] = useState(plan);
  if (plan === "free") return undefined;
  return before === "free" && plan === "pro" ? UPGRADE_SUCCESS_PATH : otherwise;
}

/** What is bought, for how much, and one button. */
export function Checkout({ billing, leave }: CheckoutProps) {
  const { hostCount, provider, status } = billing;
  const { buy, isPending, failure } = useBuying(provider);
  return (
    <div className={styles.checkout}>
      <p className={styles.price}>
        <strong>{monthlyPrice(Math.max(1, hostCount))}</strong> a month
      </p>
      <p className={styles.muted}>
        {hostPrice}. You have {formatCount(hostCount, "host")} now; the price follows as they come and go, by
        the day.
      </p>
      <ul className={styles.gains}>
        {[
          "No limit on hosts, lighthouses and relays",
          "Downgrade at any time",
          "Your hosts keep working, whatever happens to the plan",
        ].map((gain) => (
          <li key={gain}>
            <CheckIcon />
            {gain}
          </li>
        ))}
      </ul>
      {provider === "builtin" && (
        <Notice tone="info">
          This server runs on your own machine to try things out: the button upgrades at once, and nothing is
          charged.
        </Notice>
      )}
      {failure && <Notice tone="danger">{failure}</Notice>}
      <div className={styles.actions}>
        <Button variant="primary" size="large" pending={isPending} onClick={buy}>
          {buyLabel(provider, status)}
        </Button>
        <LinkButton to={leave.to} variant="quiet" size="large">
          {leave.label}
        </LinkButton>
      </div>
    </div>
  );
}

function buyLabel(provider: Billing["provider"], status: Billing["status"]): string {
  if (provider === "builtin") return "Upgrade now";
  return status === "pending" ? "Continue to payment" : "Go to payment";
}

function useBuying(provider: Billing["provider"]) {
  const navigate = useNavigate();
  const [isLeaving, setLeaving] = useState(false);
  const start = useWrite(startCheckout, {
    onSuccess: ({ url }) => {
      // The button stays busy until the other page is there.
      setLeaving(true);
      location.assign(url);
    },
    rules: billingRules,
  });
  const confirm = useWrite(confirmCheckout, { invalidates: ["auth"], rules: billingRules });
  // Who has been led on by the news meanwhile is not fetched back.
  const onSuccess = () => void navigate(UPGRADE_PENDING_PATH, { replace: true });
  const isBuiltin = provider === "builtin";
  const { isPending, error } = isBuiltin ? confirm : start;
  return {
    buy: () => (isBuiltin ? confirm.mutate(undefined, { onSuccess }) : start.mutate()),
    isPending: isPending || isLeaving,
    failure: error ? billingFailure(error) : undefined,
  };
}
