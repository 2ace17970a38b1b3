import { type Billing, HOST_PRICE_USD } from "@lightkeeper/contract";
import { formatCount, formatNumber } from "../lib/format.ts";

export const planNames: Readonly<Record<Billing["plan"], string>> = {
  free: "Free",
  pro: "Pro",
  selfHosted: "Self-hosted",
};

const dollars = new Intl.NumberFormat("en", {
  style: "currency",
  currency: "USD",
  maximumFractionDigits: 0,
});

/** "$142" */
export const monthlyPrice = (hostCount: number): string => dollars.format(hostCount * HOST_PRICE_USD);
export const hostPrice = `${monthlyPrice(1)} per host per month`;

const days = new Intl.DateTimeFormat("en", { dateStyle: "long" });

/** "December 15, 2026" */
export const formatDay = (at: string): string => days.format(new Date(at));

/** "$42.00", with the decimals of the currency */
export function formatAmount(totalMinor: number, currency: string): string {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return format.format(totalMinor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

export interface Usage {
  /** How much of the bar is filled, from 0 to 1. */
  part: number;
  tone: "ok" | "warn" | "danger";
  /** "82 of 100 hosts" */
  label: string;
  hint: string;
}

const WARNING_THRESHOLD = 0.9;

/** How much of the host limit is used; undefined without a limit. */
export function usageOf({
  hostCount,
  hostLimit,
}: Pick<Billing, "hostCount" | "hostLimit">): Usage | undefined {
  if (hostLimit === null) return undefined;
  const label = `${formatNumber(hostCount)} of ${formatCount(hostLimit, "host")}`;
  const left = hostLimit - hostCount;
  if (left < 0)
    return {
      part: 1,
      tone: "danger",
      label,
      hint: `${formatNumber(-left)} over the limit. All hosts keep working, but you can’t add more.`,
    };
  const part = hostLimit === 0 ? 1 : hostCount / hostLimit;
  if (left === 0) return { part: 1, tone: "danger", label, hint: "You can’t add more hosts." };
  const tone = part >= WARNING_THRESHOLD ? "warn" : "ok";
  return { part, tone, label, hint: `${formatNumber(left)} left.` };
}

const brands: Readonly<Record<string, string>> = {
  amex: "American Express",
  diners: "Diners Club",
  jcb: "JCB",
  sepa_debit: "SEPA direct debit",
  unionpay: "UnionPay",
  us_bank_account: "Bank account",
};

/** "Visa ending in 4242" */
export function paymentMethodLabel({ kind, last4 }: NonNullable<Billing["paymentMethod"]>): string {
  const name = brands[kind] ?? kind.charAt(0).toUpperCase() + kind.slice(1).replaceAll("_", " ");
  return last4 === null ? name : `${name} ending in ${last4}`;
}
