import type { ApiKey, BodyInputOf, createApiKey, Scope } from "@lightkeeper/contract";
import { DAY_MS } from "@lightkeeper/contract/durations";

export const lifetimes = [
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
  { value: "date", label: "On a date…" },
  { value: "never", label: "Never" },
] as const;
type Lifetime = (typeof lifetimes)[number]["value"];

/** The form values. `expiresAt` is a day in the reader's time zone and applies only if the lifetime is "date". */
export interface ApiKeyValues {
  name: string;
  scopes: Scope[];
  lifetime: Lifetime;
  expiresAt: string;
}

export const newApiKey: ApiKeyValues = { name: "", scopes: [], lifetime: "90", expiresAt: "" };

const twoDigits = (value: number) => String(value).padStart(2, "0");

/** "2026-11-15", the value of a date input */
export const dayOf = (at: Date): string =>
  `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`;

export const toValues = ({ name, scopes, expiresAt }: ApiKey): ApiKeyValues => ({
  name,
  scopes,
  lifetime: expiresAt ? "date" : "never",
  expiresAt: expiresAt ? dayOf(new Date(expiresAt)) : "",
});

function expiryOf({ lifetime, expiresAt: day }: ApiKeyValues, before: ApiKey | undefined, now: Date) {
  if (lifetime === "never") return null;
  if (lifetime !== "date") return new Date(now.getTime() + Number(lifetime) * DAY_MS).toISOString();
  const unchanged = before?.expiresAt && dayOf(new Date(before.expiresAt)) === day;
  // The end of that day in the reader's time zone.
  return unchanged ? before.expiresAt : new Date(`${day}T23:59:59`).toISOString();
}

export function toBody(
  values: ApiKeyValues,
  { before, now = new Date() }: { before?: ApiKey; now?: Date } = {},
): BodyInputOf<typeof createApiKey> {
  return { name: values.name.trim(), scopes: values.scopes, expiresAt: expiryOf(values, before, now) };
}
