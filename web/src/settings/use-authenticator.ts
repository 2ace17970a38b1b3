import type { TotpAuthenticator } from "@lightkeeper/contract";
import { useIsMutating, useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { authenticatorQuery } from "./settings.queries.ts";

/** The one the address names, once it is known. One that does not exist is left to the 404 page. */
export function useAuthenticator(): TotpAuthenticator | undefined {
  const { totpID = "" } = useParams();
  const { data, error } = useQuery(authenticatorQuery(totpID));
  // The news of its deletion may be faster than the answer to it.
  const isWriting = useIsMutating() > 0;
  if (error && !(isWriting && data)) throw error;
  return data;
}
