import type { Billing } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { Navigate } from "react-router";
import { Loaded } from "../lib/loaded.tsx";
import { usePageTitle } from "../lib/title.ts";
import { billingQuery } from "./billing.queries.ts";
import styles from "./billing.module.css";
import { Checkout, useCheckoutRedirect } from "./checkout.tsx";

const TITLE = "Upgrade to Pro";

/** The checkout directly after signing up for Pro. */
export function SignupCheckoutPage() {
  usePageTitle(TITLE);
  return (
    <Loaded query={useQuery(billingQuery)} title={TITLE} crumbs={[]}>
      {(billing) => <SignupCheckout billing={billing} />}
    </Loaded>
  );
}

function SignupCheckout({ billing }: { billing: Billing }) {
  const redirect = useCheckoutRedirect(billing, "/");
  if (redirect !== undefined) return <Navigate to={redirect} replace />;
  return (
    <div className={styles.panel}>
      <h1 tabIndex={-1} className={styles.heading}>
        {TITLE}
      </h1>
      <Checkout billing={billing} cancel={{ to: "/", label: "Stay on Free for now" }} />
    </div>
  );
}
