import type { BrokenGuarantee } from "@lightkeeper/contract";
import { findEntry } from "../lib/errors.ts";
import type { Rule } from "../lib/messages.ts";

const CODE = "ERR_GUARANTEE_VIOLATED";

/** The guarantees that a rejected call would have broken. */
export const violatedGuarantees = (error: unknown): readonly BrokenGuarantee[] =>
  (findEntry(error, CODE)?.extra?.guarantees as BrokenGuarantee[] | undefined) ?? [];

/** For callers that show the guarantees themselves. */
export const guaranteeViolated: Rule = { codes: [CODE], message: "This change breaks a guarantee." };
