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
  paymentMethodWords,
  planNames,
  usageOf,
} from "./billing-words.ts";
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
    <Card title={`${planNames[billing.plan]} plan`} actions={<Standing billing={billing} />} padded={false}>
      <div className={styles.plan}>
        {usage ? (
          <UsageBar usage={usage} />
        ) : (
          <p className={styles.used}>
            <strong>{formatCount(billing.hostCount, "host")}</strong>{" "}
            <span className={styles.muted}>No limit.</span>
          </p>
        )}
        <p className={styles.muted}>{planWords[billing.plan]}</p>
      </div>
      {billing.plan === "pro" && <PaymentFacts billing={billing} />}
      {billing.provider !== "none" && billing.plan !== "selfHosted" && (
        <footer className={styles.footer}>
          {isOwner ? (
            <PlanActions billing={billing} />
          ) : (
            <p className={styles.muted}>Only an owner who signs in by e-mail can change the plan.</p>
          )}
        </footer>
      )}
    </Card>
  );
}

const planWords: Readonly<Record<Billing["plan"], string>> = {
  free: `Costs nothing. Pro has no limit and costs ${hostPrice}.`,
  pro: `${hostPrice}, blocked and offline hosts included. What changes within a month is charged for its days.`,
  selfHosted: "You run this server yourself: there is nothing to pay and no limit on hosts.",
};

const standings: Readonly<
  Record<Billing["status"], { tone: StatusProps["tone"]; word: string } | undefined>
> = {
  none: undefined,
  active: { tone: "ok", word: "Active" },
  pending: { tone: "new", word: "Waiting for payment" },
  pastDue: { tone: "warn", word: "Payment overdue" },
  canceled: { tone: "off", word: "Canceled" },
};

function Standing({ billing: { plan, status } }: { billing: Billing }) {
  const standing = standings[status];
  // Who is on the free plan again is simply there.
  if (!standing || (plan !== "pro" && status === "canceled")) return null;
  return <Status tone={standing.tone}>{standing.word}</Status>;
}

function PaymentFacts({ billing }: { billing: Billing }) {
  const { hostCount, status, currentPeriodEnd } = billing;
  const facts: [label: string, value: string | null | undefined][] = [
    ["Price now", `${monthlyPrice(hostCount)} a month`],
    [status === "canceled" ? "Ends on" : "Next payment", currentPeriodEnd && formatDay(currentPeriodEnd)],
    ["Paid by", payerOf(billing)],
  ];
  return (
    <div className={styles.facts}>
      <KeyValueList>
        {facts.map(
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

function payerOf({ provider, paymentMethod }: Billing): string | undefined {
  if (provider === "builtin") return "Nobody: this server runs on your own machine to try things out";
  return paymentMethod && paymentMethodWords(paymentMethod);
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
