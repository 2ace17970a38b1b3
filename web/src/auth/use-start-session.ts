import { useNavigate, useSearchParams } from "react-router";
import { currentUserQuery, mfaRegistrationStatus } from "../lib/current-user.ts";
import { queryClient } from "../lib/query.ts";
import { rememberReturnTo } from "../lib/session.ts";
import { removeAuthTokens, saveUserToken } from "../lib/tokens.ts";

/** Returns a function that saves a session token and navigates to the second factor. */
export function useStartSession() {
  const navigate = useNavigate();
  const [parameters] = useSearchParams();
  return async (sessionToken: string, { isInvited = false } = {}): Promise<void> => {
    // An older auth token belongs to a different session.
    removeAuthTokens();
    saveUserToken(sessionToken);
    // An invited person joins an organization that already has a plan.
    if (parameters.get("plan") === "pro" && !isInvited) rememberReturnTo("/signup/pro");
    await navigate(await nextStep(), { replace: true });
  };
}

async function nextStep(): Promise<string> {
  const user = await queryClient.fetchQuery({ ...currentUserQuery, staleTime: 0 }).catch(() => undefined);
  const registered = mfaRegistrationStatus({ data: user, isError: user === undefined });
  return registered === "no" ? "/auth/mfa/register" : "/auth/mfa";
}
