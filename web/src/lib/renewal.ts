import { AuthError } from "@lightkeeper/contract";
import { useLocation, useNavigate } from "react-router";
import { currentUserQuery } from "./current-user.ts";
import { markHandled } from "./errors.ts";
import { queryClient } from "./query.ts";
import { rememberReturnTo } from "./session.ts";
import { readTokens } from "./tokens.ts";

/** Where people confirm their identity again: with their second factor, or with single sign-on. */
function renewalPath(): string {
  if (readTokens().userToken) return "/auth/mfa/renew";
  const organizationID = queryClient.getQueryData(currentUserQuery.queryKey)?.organization.id;
  return organizationID ? `/auth/login/${encodeURIComponent(organizationID)}` : "/auth/login";
}

/**
 * Some actions require a second factor from the last hour. The returned function takes an error: if it asks for that,
 * the function saves the draft, navigates to the prompt, which returns to this page, and returns true.
 */
export function useRenewal(saveDraft?: () => void): (error: unknown) => boolean {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  return (error) => {
    if (!(error instanceof AuthError) || error.code !== "ERR_2FA_RENEWAL_REQUIRED") return false;
    markHandled(error);
    saveDraft?.();
    rememberReturnTo(pathname + search);
    // Replaces the form's history entry, so that Back leads to the page before the form.
    void navigate(renewalPath(), { replace: true });
    return true;
  };
}
