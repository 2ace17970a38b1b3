import { type Billing, HOST_PRICE_USD, RequestError } from "@lightkeeper/contract";
import { messageOf } from "../lib/errors.ts";
import { formatCount, formatNumber } from "../lib/format.ts";
import type { Rule } from "../lib/messages.ts";

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
export const hostPrice = `${HOST_PRICE_USD} USD per host and month`;

const days = new Intl.DateTimeFormat("en", { dateStyle: "long" });

/** "December 15, 2026" */
export const formatDay = (at: string): string => days.format(new Date(at));

/** "$42.00", by the rules of the currency */
export function formatAmount(totalMinor: number, currency: string): string {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return format.format(totalMinor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

export interface Usage {
  /** How much of the bar is filled, from 0 to 1. */
  part: number;
  tone: "ok" | "warn" | "danger";
  words: string;
  rest: string;
}

const NEARLY = 0.9;

/** What of the limit is used; undefined where there is none. */
export function usageOf({
  hostCount,
  hostLimit,
}: Pick<Billing, "hostCount" | "hostLimit">): Usage | undefined {
  if (hostLimit === null) return undefined;
  const words = `${formatNumber(hostCount)} of ${formatCount(hostLimit, "host")}`;
  const left = hostLimit - hostCount;
  if (left < 0)
    return {
      part: 1,
      tone: "danger",
      words,
      rest: `${formatNumber(-left)} over the limit. All of them keep working, but none can be added.`,
    };
  const part = hostLimit === 0 ? 1 : hostCount / hostLimit;
  if (left === 0) return { part: 1, tone: "danger", words, rest: "None can be added." };
  return { part, tone: part >= NEARLY ? "warn" : "ok", words, rest: `${formatNumber(left)} left.` };
}

export const billingRules: readonly Rule[] = [
  {
    codes: ["ERR_BILLING_INVALID_STATE"],
    message: "The plan has been changed meanwhile. Go back to billing to see how it is now.",
  },
];

/** Why a call about billing did not work. The call needs `billingRules`. */
export function billingFailure(error: Error): string {
  if (error instanceof RequestError && error.response.status === 503)
    return "The payment provider does not answer. Nothing has changed; try again in a few minutes.";
  return messageOf(error);
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
export function paymentMethodWords({ kind, last4 }: NonNullable<Billing["paymentMethod"]>): string {
  const name = brands[kind] ?? kind.charAt(0).toUpperCase() + kind.slice(1).replaceAll("_", " ");
  return last4 === null ? name : `${name} ending in ${last4}`;
}
