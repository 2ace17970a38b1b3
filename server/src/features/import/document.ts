/** What was sent, before anybody asks what it means. */
import { importKinds, type ImportPlan } from "@lightkeeper/contract";
import { ApiError } from "../../infrastructure/errors/api-error.ts";

export type Kind = (typeof importKinds)[number];
export type Problem = Omit<ImportPlan["refuse"][number], "place">;

export interface RawThing {
  /** Where it stands: `line 4`, `hosts[3]`. */
  place: string;
  kind: string;
  value: unknown;
}

/** A document that cannot be read is refused whole; a thing that cannot be made, alone. */
export const unreadable = (message: string) =>
  new ApiError("ERR_INVALID_VALUE", { path: "content", message });

export const limitExceeded = (limit: number, message: string) =>
  new ApiError("ERR_LIMIT_EXCEEDED", { path: "content", message, extra: { limit } });

export const tooMany = (limit: number, what: string) =>
  limitExceeded(limit, `must not have more than ${limit} ${what}: split the file`);

export const isKind = (text: string): text is Kind => importKinds.some((kind) => kind === text);

/** As many as one transaction takes in a few seconds. */
export const MAX: Readonly<Record<Kind, number>> = { host: 5000, role: 500, tag: 500 };
export const THINGS_MAX = MAX.host + MAX.role + MAX.tag;
