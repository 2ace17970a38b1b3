/** The content of a file before its items are parsed. */
import { importKinds, type ImportPlan } from "@lightkeeper/contract";
import { ApiError } from "../../infrastructure/errors/api-error.ts";

export type Kind = (typeof importKinds)[number];
export type Problem = Omit<ImportPlan["reject"][number], "place">;

export interface RawItem {
  /** For example `line 4` or `hosts[3]`. */
  place: string;
  kind: string;
  value: unknown;
}

/** Rejects the whole document; an invalid item is rejected alone. */
export const unreadableError = (message: string) =>
  new ApiError("ERR_INVALID_VALUE", { path: "content", message });

export const limitExceededError = (limit: number, message: string) =>
  new ApiError("ERR_LIMIT_EXCEEDED", { path: "content", message, extra: { limit } });

export const tooManyError = (limit: number, what: string) =>
  limitExceededError(limit, `must not have more than ${limit} ${what}: split the file`);

export const isKind = (text: string): text is Kind => importKinds.some((kind) => kind === text);

/** As many as one transaction can write in a few seconds. */
export const ITEMS_MAX_BY_KIND: Readonly<Record<Kind, number>> = { host: 5000, role: 500, tag: 500 };
export const ITEMS_MAX = ITEMS_MAX_BY_KIND.host + ITEMS_MAX_BY_KIND.role + ITEMS_MAX_BY_KIND.tag;
