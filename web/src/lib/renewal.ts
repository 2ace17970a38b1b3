import { AuthError } from "@lightkeeper/contract";
import { useLocation, useNavigate } from "react-router";
import { currentUserQuery } from "./current-user.ts";
import { markHandled } from "./errors.ts";
import { queryClient } from "./query.ts";
import { rememberReturnTo } from "./session.ts";
import { readTokens } from "./tokens.ts";

/** Where somebody proves anew who they are: by their second factor, or by single sign-on. */
function renewalPath(): string {
  if (readTokens().userToken) return "/auth/mfa/renew";
  const organizationID = queryClient.getQueryData(currentUserQuery.queryKey)?.organization.id;
  return organizationID ? `/auth/login/${encodeURIComponent(organizationID)}` : "/auth/login";
}

/**
 * Some acts want a second factor from the last hour. Answers whether an error says so; then the person is on the way to
 * give it, and comes back to this address. What is to be kept meanwhile is kept by `keep`.
 */
export function useRenewal(keep?: () => void): (error: unknown) => boolean {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  return (error) => {
    if (!(error instanceof AuthError) || error.code !== "ERR_2FA_RENEWAL_REQUIRED") return false;
    markHandled(error);
    keep?.();
    rememberReturnTo(pathname + search);
    // In the form's place: Back then leads to where the form was come from.
    void navigate(renewalPath(), { replace: true });
    return true;
  };
}
