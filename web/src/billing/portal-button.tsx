import { openBillingPortal } from "@lightkeeper/contract";
import type { ReactNode } from "react";
import { useWrite } from "../lib/query.ts";
import { Button } from "../ui/controls/button.tsx";
import { ExternalIcon } from "../ui/base/icons.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { billingFailure, billingRules } from "./billing-errors.ts";

/** Opens the payment provider's customer portal, which links back here. */
export function PortalButton({ size, children }: { size?: "small"; children: ReactNode }) {
  const { mutate, isPending } = useWrite(openBillingPortal, {
    onSuccess: ({ url }) => location.assign(url),
    rules: billingRules,
    onError: (error) => toast(billingFailure(error), { tone: "danger" }),
  });
  return (
    <Button size={size} icon={<ExternalIcon />} pending={isPending} onClick={() => mutate()}>
      {children}
    </Button>
  );
}
