import type { Billing } from "@lightkeeper/contract";
import { Navigate, useOutletContext } from "react-router";
import { formatCount } from "../lib/format.ts";
import { usePageTitle } from "../lib/title.ts";
import { Button, LinkButton } from "../ui/controls/button.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { monthlyPrice } from "./billing-labels.ts";
import { BILLING_PATH } from "./billing-paths.ts";
import { useCloseDialog } from "../lib/use-close-dialog.ts";

export function UpgradeSuccessDialog() {
  const billing = useOutletContext<Billing>();
  // The URL can be opened without an upgrade.
  if (billing.plan !== "pro") return <Navigate to={BILLING_PATH} replace />;
  return <UpgradeSuccess billing={billing} />;
}

function UpgradeSuccess({ billing: { hostCount, provider } }: { billing: Billing }) {
  usePageTitle("Upgrade successful");
  const close = useCloseDialog(BILLING_PATH);
  const price = `The current price is ${monthlyPrice(hostCount)} per month for ${formatCount(hostCount, "host")}. Changes are prorated.`;
  return (
    <Dialog
      open
      title="You’re on Pro"
      description={`Add as many hosts as you like. ${provider === "builtin" ? "Nothing is charged on this server." : price}`}
      onClose={close}
      actions={
        <>
          <Button onClick={close}>Close</Button>
          <LinkButton to="/hosts/add" variant="primary">
            Add host
          </LinkButton>
        </>
      }
    />
  );
}
