/** Looks up TXT records. The resolver is a parameter, so that tests don't use the Internet. */
import { Resolver } from "node:dns/promises";
import { ApiError } from "../../infrastructure/errors/api-error.ts";

/** As in node:dns: returns a list of records, each a list of chunks. */
export type ResolveTxt = (name: string) => Promise<string[][]>;

const LOOKUP_MS = 3000;
const LOOKUP_TRIES = 2;
const NO_RECORD = new Set(["ENOTFOUND", "ENODATA"]);

export const resolveTxt: ResolveTxt = (name) =>
  new Resolver({ timeout: LOOKUP_MS, tries: LOOKUP_TRIES }).resolveTxt(name);

/** Returns no values if the name has no TXT record. */
export async function lookUpTxt(resolve: ResolveTxt, name: string): Promise<string[]> {
  try {
    return (await resolve(name)).map((chunks) => chunks.join(""));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    if (NO_RECORD.has(code)) return [];
    throw new ApiError("ERR_DNS_LOOKUP_FAILED", { message: `the DNS lookup of ${name} failed (${code})` });
  }
}
