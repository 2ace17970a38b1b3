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
/** The news comes by itself; this is for when its way is blocked. */
const ASK_AGAIN_MS = 5000;
const PATIENCE_MS = 30_000;

/** Where the payment provider sends people back to. It may be slower to tell the server than to tell them. */
export function UpgradePendingPage() {
  usePageTitle(TITLE);
  const query = useQuery({ ...billingQuery, refetchInterval: ASK_AGAIN_MS, refetchOnMount: "always" });
  return (
    <Loaded query={query} title={TITLE} crumbs={crumbs}>
      {(billing) => <Pending billing={billing} isFresh={query.isFetchedAfterMount} />}
    </Loaded>
  );
}

function Pending({ billing: { plan, status }, isFresh }: { billing: Billing; isFresh: boolean }) {
  const isLate = useElapsed(PATIENCE_MS);
  if (plan === "pro") return <Navigate to={UPGRADE_SUCCESS_PATH} replace />;
  // What was known before the checkout says nothing of what came of it.
  if (isFresh && status !== "pending") return <Navigate to={BILLING_PATH} replace />;
  return (
    <FormPage>
      <PageHeader breadcrumb={<Breadcrumb crumbs={crumbs} />} title={TITLE} />
      <Card>
        <div className={styles.waiting}>
          <Spinner size={48} label="Waiting" />
          <p role="status">
            {isLate
              ? "This takes longer than usual. Some ways to pay need a day or two; nothing is lost if you leave."
              : "Waiting for the payment provider to confirm. This page goes on by itself."}
          </p>
          {isLate && (
            <>
              <div className={styles.actions}>
                <LinkButton to={BILLING_PATH}>Back to billing</LinkButton>
                <LinkButton to={CHECKOUT_PATH} variant="quiet">
                  I have not paid yet
                </LinkButton>
              </div>
              <p className={styles.muted}>
                Paid, and still here tomorrow? Write to{" "}
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
