import type { Billing } from "@lightkeeper/contract";
import { formatCount } from "../lib/format.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { KeyValue, KeyValueList } from "../ui/text/key-value.tsx";
import { Status, type StatusProps } from "../ui/feedback/status.tsx";
import {
  formatDay,
  hostPrice,
  monthlyPrice,
  paymentMethodLabel,
  planNames,
  usageOf,
} from "./billing-labels.ts";
import { CHECKOUT_PATH, DOWNGRADE_PATH } from "./billing-paths.ts";
import styles from "./billing.module.css";
import { PortalButton } from "./portal-button.tsx";
import { UsageBar } from "./usage-bar.tsx";

interface PlanCardProps {
  billing: Billing;
  isOwner: boolean;
}

export function PlanCard({ billing, isOwner }: PlanCardProps) {
  const usage = usageOf(billing);
  return (
    <Card title={`${planNames[billing.plan]} plan`} actions={<PlanStatus billing={billing} />} padded={false}>
      <div className={styles.plan}>
        {usage ? (
          <UsageBar usage={usage} />
        ) : (
          <p className={styles.used}>
            <strong>{formatCount(billing.hostCount, "host")}</strong>{" "}
            <span className={styles.muted}>No limit.</span>
          </p>
        )}
        <p className={styles.muted}>{planDescriptions[billing.plan]}</p>
      </div>
      {billing.plan === "pro" && <PaymentDetails billing={billing} />}
      {billing.provider !== "none" && billing.plan !== "selfHosted" && (
        <footer className={styles.footer}>
          {isOwner ? (
            <PlanActions billing={billing} />
          ) : (
            <p className={styles.muted}>Only owners who log in by email can change the plan.</p>
          )}
        </footer>
      )}
    </Card>
  );
}

const planDescriptions: Readonly<Record<Billing["plan"], string>> = {
  free: `Free of charge. Pro has no host limit and costs ${hostPrice}.`,
  pro: `${hostPrice}, including blocked and offline hosts. Changes are prorated.`,
  selfHosted: "Self-hosted Lightkeeper is free and has no host limit.",
};

const statuses: Readonly<
  Record<Billing["status"], { tone: StatusProps["tone"]; label: string } | undefined>
> = {
  none: undefined,
  active: { tone: "ok", label: "Active" },
  pending: { tone: "new", label: "Waiting for payment" },
  pastDue: { tone: "warn", label: "Payment overdue" },
  canceled: { tone: "off", label: "Canceled" },
};

function PlanStatus({ billing: { plan, status } }: { billing: Billing }) {
  const shown = statuses[status];
  // After a downgrade, the Free plan isn't shown as canceled.
  if (!shown || (plan !== "pro" && status === "canceled")) return null;
  return <Status tone={shown.tone}>{shown.label}</Status>;
}

function PaymentDetails({ billing }: { billing: Billing }) {
  const { hostCount, status, currentPeriodEnd } = billing;
  const details: [label: string, value: string | null | undefined][] = [
    ["Current price", `${monthlyPrice(hostCount)} per month`],
    [status === "canceled" ? "Ends on" : "Next payment", currentPeriodEnd && formatDay(currentPeriodEnd)],
    ["Payment method", describePayment(billing)],
  ];
  return (
    <div className={styles.details}>
      <KeyValueList>
        {details.map(
          ([label, value]) =>
            value && (
              <KeyValue key={label} label={label}>
                {value}
              </KeyValue>
            ),
        )}
      </KeyValueList>
    </div>
  );
}

function describePayment({ provider, paymentMethod }: Billing): string | undefined {
  if (provider === "builtin") return "Not charged (local server)";
  return paymentMethod && paymentMethodLabel(paymentMethod);
}

function PlanActions({ billing: { plan, provider, status } }: PlanActionsProps) {
  if (plan === "free")
    return (
      <LinkButton to={CHECKOUT_PATH} variant="primary">
        {status === "pending" ? "Continue checkout" : "Upgrade to Pro"}
      </LinkButton>
    );
  return (
    <>
      {provider === "stripe" && <PortalButton>Manage payment</PortalButton>}
      <LinkButton to={DOWNGRADE_PATH} variant="quiet" preventScrollReset>
        Downgrade to Free…
      </LinkButton>
    </>
  );
}

type PlanActionsProps = Pick<PlanCardProps, "billing">;
