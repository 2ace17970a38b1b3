/** Calls that can be tried without being made. */
import * as z from "zod/mini";
import { extension, query } from "./fields.ts";

export const dryRunQuery = {
  dryRun: extension(
    z._default(z.optional(query.flag()), false),
    "Check the request and respond with what it would open and close, without changing anything.",
  ),
};
export const DryRunQuery = z.strictObject(dryRunQuery);
