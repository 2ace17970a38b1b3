import type { Billing } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { Navigate } from "react-router";
import { Loaded } from "../lib/loaded.tsx";
import { usePageTitle } from "../lib/title.ts";
import { Breadcrumb } from "../ui/pages/breadcrumb.tsx";
import { Card } from "../ui/pages/card.tsx";
import { FormPage } from "../ui/pages/form-page.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { BILLING_PATH } from "./billing-paths.ts";
import { billingQuery } from "./billing.queries.ts";
import { Checkout, useCheckoutRedirect } from "./checkout.tsx";

const crumbs = [{ label: "Billing", to: BILLING_PATH }];
const TITLE = "Upgrade to Pro";

export function CheckoutPage() {
  usePageTitle(TITLE);
  return (
    <Loaded query={useQuery(billingQuery)} title={TITLE} crumbs={crumbs}>
      {(billing) => <CheckoutContent billing={billing} />}
    </Loaded>
  );
}

function CheckoutContent({ billing }: { billing: Billing }) {
  const redirect = useCheckoutRedirect(billing, BILLING_PATH);
  if (redirect !== undefined) return <Navigate to={redirect} replace />;
  return (
    <FormPage>
      <PageHeader breadcrumb={<Breadcrumb crumbs={crumbs} />} title={TITLE} />
      <Card>
        <Checkout billing={billing} cancel={{ to: BILLING_PATH, label: "Cancel" }} />
      </Card>
    </FormPage>
  );
}
