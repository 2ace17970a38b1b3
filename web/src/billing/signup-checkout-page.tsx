import type { Billing } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { Navigate } from "react-router";
import { Loaded } from "../lib/loaded.tsx";
import { usePageTitle } from "../lib/title.ts";
import { billingQuery } from "./billing.queries.ts";
import styles from "./billing.module.css";
import { Checkout, useWayOn } from "./checkout.tsx";

const TITLE = "Upgrade to Pro";

/** The checkout of somebody who has just signed up for it, or may do without. */
export function SignupCheckoutPage() {
  usePageTitle(TITLE);
  return (
    <Loaded query={useQuery(billingQuery)} title={TITLE} crumbs={[]}>
      {(billing) => <SignupCheckout billing={billing} />}
    </Loaded>
  );
}

function SignupCheckout({ billing }: { billing: Billing }) {
  const wayOn = useWayOn(billing, "/");
  if (wayOn !== undefined) return <Navigate to={wayOn} replace />;
  return (
    <div className={styles.panel}>
      <h1 tabIndex={-1} className={styles.heading}>
        {TITLE}
      </h1>
      <Checkout billing={billing} leave={{ to: "/", label: "Stay on Free for now" }} />
    </div>
  );
}
