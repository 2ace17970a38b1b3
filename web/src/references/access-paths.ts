import type { HostV2 } from "@lightkeeper/contract";

export const ACCESS_PATH = "/access";
export const ACCESS_MATRIX_PATH = "/access/matrix";
export const RULES_TO_REVIEW_PATH = "/access/rules";
export const GUARANTEES_PATH = "/guarantees";

/** What to check: a source and a destination, as IDs of a host or a role, or as an address. */
export interface AccessQuestion {
  source?: string | undefined;
  destination?: string | undefined;
  protocol?: string | undefined;
  port?: string | undefined;
}

/** The page that checks access, with what is known of the question. */
export function accessPath(question: AccessQuestion): string {
  const known = Object.entries(question).filter(([, value]) => value !== undefined && value !== "");
  return `${ACCESS_PATH}?${new URLSearchParams(known as [string, string][])}`;
}

export const accessFromPath = ({ id }: Pick<HostV2, "id">): string => accessPath({ source: id });
