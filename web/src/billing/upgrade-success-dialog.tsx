import type { Billing } from "@lightkeeper/contract";
import { Navigate, useOutletContext } from "react-router";
import { formatCount } from "../lib/format.ts";
import { usePageTitle } from "../lib/title.ts";
import { Button, LinkButton } from "../ui/controls/button.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { monthlyPrice } from "./billing-words.ts";
import { BILLING_PATH } from "./billing-paths.ts";
import { useCloseDialog } from "./use-close-dialog.ts";

export function UpgradeSuccessDialog() {
  const billing = useOutletContext<Billing>();
  // Nobody is congratulated on what has not happened.
  if (billing.plan !== "pro") return <Navigate to={BILLING_PATH} replace />;
  return <UpgradeSuccess billing={billing} />;
}

function UpgradeSuccess({ billing: { hostCount, provider } }: { billing: Billing }) {
  usePageTitle("Upgrade successful");
  const close = useCloseDialog();
  const price = `${monthlyPrice(hostCount)} a month for ${formatCount(hostCount, "host")}`;
  return (
    <Dialog
      open
      title="You are on Pro"
      description={`Add as many hosts as you like. ${provider === "builtin" ? "Nothing is charged on this server." : `At the moment it is ${price}; it follows as hosts come and go.`}`}
      onClose={close}
      actions={
        <>
          <Button onClick={close}>Close</Button>
          <LinkButton to="/hosts/add" variant="primary">
            Add a host
          </LinkButton>
        </>
      }
    />
  );
}
