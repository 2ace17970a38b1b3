import type { TotpAuthenticator } from "@lightkeeper/contract";
import { useIsMutating, useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { authenticatorQuery } from "./settings.queries.ts";

/** The authenticator in the URL, once loaded. A missing one leads to the 404 page. */
export function useAuthenticator(): TotpAuthenticator | undefined {
  const { totpID = "" } = useParams();
  const { data, error } = useQuery(authenticatorQuery(totpID));
  // The event of a deletion can arrive before the response to it.
  const isWriting = useIsMutating() > 0;
  if (error && !(isWriting && data)) throw error;
  return data;
}
