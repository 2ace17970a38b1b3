import type { Billing } from "@lightkeeper/contract";
import type { ReactNode } from "react";
import { Notice } from "../ui/feedback/notice.tsx";
import { formatDay } from "./billing-words.ts";
import { PortalButton } from "./portal-button.tsx";

interface StandingNoticeProps {
  billing: Billing;
  /** Whether the person can do something about it. */
  isOwner: boolean;
}

/** What asks for attention, and what to do about it. */
export function StandingNotice({
  billing: { plan, status, currentPeriodEnd },
  isOwner,
}: StandingNoticeProps) {
  const portal = (label: string): ReactNode => isOwner && <PortalButton size="small">{label}</PortalButton>;
  if (status === "pastDue")
    return (
      <Notice tone="danger" actions={portal("Update payment")}>
        The last payment did not go through. Your hosts keep working; the plan ends if it stays unpaid.
      </Notice>
    );
  if (status === "pending")
    return (
      <Notice tone="info">
        An upgrade has begun and is not paid yet. The plan changes by itself once it is.
      </Notice>
    );
  if (status === "canceled" && plan === "pro")
    return (
      <Notice tone="warn" actions={portal("Keep Pro")}>
        Pro is canceled{currentPeriodEnd && ` and ends on ${formatDay(currentPeriodEnd)}`}. Your hosts keep
        working after that; more can only be added up to the Free plan&apos;s limit.
      </Notice>
    );
  return null;
}
