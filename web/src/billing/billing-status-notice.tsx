import type { Billing } from "@lightkeeper/contract";
import type { ReactNode } from "react";
import { Notice } from "../ui/feedback/notice.tsx";
import { formatDay } from "./billing-labels.ts";
import { PortalButton } from "./portal-button.tsx";

interface BillingStatusNoticeProps {
  billing: Billing;
  /** Only owners get a button to fix it. */
  isOwner: boolean;
}

/** Shown when the subscription needs attention. */
export function BillingStatusNotice({
  billing: { plan, status, currentPeriodEnd },
  isOwner,
}: BillingStatusNoticeProps) {
  const portal = (label: string): ReactNode => isOwner && <PortalButton size="small">{label}</PortalButton>;
  if (status === "pastDue")
    return (
      <Notice tone="danger" actions={portal("Update payment")}>
        The last payment failed. Your hosts keep working, but the plan ends if the invoice stays unpaid.
      </Notice>
    );
  if (status === "pending")
    return (
      <Notice tone="info">
        Your upgrade isn’t paid yet. The plan changes automatically after the payment.
      </Notice>
    );
  if (status === "canceled" && plan === "pro")
    return (
      <Notice tone="warn" actions={portal("Keep Pro")}>
        Pro is canceled{currentPeriodEnd && ` and ends on ${formatDay(currentPeriodEnd)}`}. After that, your
        hosts keep working, but you can’t add hosts beyond the Free plan’s limit.
      </Notice>
    );
  return null;
}
