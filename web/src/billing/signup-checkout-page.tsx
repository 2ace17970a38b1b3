import { useQuery } from "@tanstack/react-query";
import { Navigate } from "react-router";
import { Loaded } from "../lib/loaded.tsx";
import { usePageTitle } from "../lib/title.ts";
import { billingQuery } from "./billing.queries.ts";
import styles from "./billing.module.css";
import { Checkout } from "./checkout.tsx";

const TITLE = "Upgrade to Pro";

/** The checkout of somebody who has just signed up for it, or may do without. */
export function Component() {
  usePageTitle(TITLE);
  return (
    <Loaded query={useQuery(billingQuery)} title={TITLE} crumbs={[]}>
      {(billing) =>
        billing.plan === "free" ? (
          <div className={styles.panel}>
            <h1 tabIndex={-1} className={styles.heading}>
              {TITLE}
            </h1>
            <Checkout billing={billing} leave={{ to: "/", label: "Stay on Free for now" }} />
          </div>
        ) : (
          <Navigate to="/" replace />
        )
      }
    </Loaded>
  );
}
