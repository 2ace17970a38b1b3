import type { Billing } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { Navigate } from "react-router";
import { config } from "../lib/config.ts";
import { Loaded } from "../lib/loaded.tsx";
import { usePageTitle } from "../lib/title.ts";
import { Breadcrumb } from "../ui/pages/breadcrumb.tsx";
import { LinkButton } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { FormPage } from "../ui/pages/form-page.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { Spinner } from "../ui/feedback/spinner.tsx";
import { useElapsed } from "../ui/base/timer.ts";
import { BILLING_PATH, CHECKOUT_PATH, UPGRADE_SUCCESS_PATH } from "./billing-paths.ts";
import { billingQuery } from "./billing.queries.ts";
import styles from "./billing.module.css";

const crumbs = [{ label: "Billing", to: BILLING_PATH }];
const TITLE = "Upgrade pending";
/** A fallback for when the change event doesn't arrive. */
const POLL_MS = 5000;
const LATE_AFTER_MS = 30_000;

/** The payment provider redirects here. It may notify the server only later. */
export function UpgradePendingPage() {
  usePageTitle(TITLE);
  const query = useQuery({ ...billingQuery, refetchInterval: POLL_MS, refetchOnMount: "always" });
  return (
    <Loaded query={query} title={TITLE} crumbs={crumbs}>
      {(billing) => <Pending billing={billing} isFresh={query.isFetchedAfterMount} />}
    </Loaded>
  );
}

function Pending({ billing: { plan, status }, isFresh }: { billing: Billing; isFresh: boolean }) {
  const isLate = useElapsed(LATE_AFTER_MS);
  if (plan === "pro") return <Navigate to={UPGRADE_SUCCESS_PATH} replace />;
  // Data from before the checkout doesn't show its result.
  if (isFresh && status !== "pending") return <Navigate to={BILLING_PATH} replace />;
  return (
    <FormPage>
      <PageHeader breadcrumb={<Breadcrumb crumbs={crumbs} />} title={TITLE} />
      <Card>
        <div className={styles.waiting}>
          <Spinner size={48} label="Waiting" />
          <p role="status">
            {isLate
              ? "This is taking longer than usual. Some payment methods need a day or two. You can leave this page."
              : "Waiting for the payment provider to confirm. This page updates automatically."}
          </p>
          {isLate && (
            <>
              <div className={styles.actions}>
                <LinkButton to={BILLING_PATH}>Back to billing</LinkButton>
                <LinkButton to={CHECKOUT_PATH} variant="quiet">
                  I haven’t paid yet
                </LinkButton>
              </div>
              <p className={styles.muted}>
                If you’ve paid and still see this tomorrow, contact{" "}
                <a className={styles.link} href={`mailto:${config.supportEmail}`}>
                  {config.supportEmail}
                </a>
                .
              </p>
            </>
          )}
        </div>
      </Card>
    </FormPage>
  );
}
