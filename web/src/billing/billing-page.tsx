import { startCheckout, type Billing } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { Outlet, useLocation } from "react-router";
import { useCurrentUser } from "../lib/current-user.ts";
import { Loaded } from "../lib/loaded.tsx";
import { canCall } from "../lib/permissions.ts";
import { PageTitle } from "../lib/title.ts";
import { Cards } from "../ui/pages/form-page.tsx";
import { PageContent } from "../ui/pages/page-content.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { BILLING_PATH } from "./billing-paths.ts";
import { billingQuery } from "./billing.queries.ts";
import { Invoices } from "./invoices.tsx";
import { PlanCard } from "./plan-card.tsx";
import { BillingStatusNotice } from "./billing-status-notice.tsx";

export function BillingPage() {
  const { pathname } = useLocation();
  return (
    <>
      {/* A dialog over the page sets its own title. */}
      {pathname.replace(/\/$/, "") === BILLING_PATH && <PageTitle>Billing</PageTitle>}
      <Loaded query={useQuery(billingQuery)} title="Billing" crumbs={[]}>
        {(billing) => <BillingContent billing={billing} />}
      </Loaded>
    </>
  );
}

function BillingContent({ billing }: { billing: Billing }) {
  const { data: person } = useCurrentUser();
  const isOwner = person !== undefined && canCall(person, startCheckout);
  return (
    <PageContent kind="settings">
      <PageHeader title="Billing" lead="Your plan and usage." />
      <Cards>
        <BillingStatusNotice billing={billing} isOwner={isOwner} />
        <PlanCard billing={billing} isOwner={isOwner} />
        {billing.provider === "stripe" && billing.plan !== "selfHosted" && <Invoices />}
      </Cards>
      <Outlet context={billing} />
    </PageContent>
  );
}
