import { AuthError } from "@lightkeeper/contract";
import { useState } from "react";
import { flushSync } from "react-dom";
import { Navigate, useLocation, useNavigate } from "react-router";
import { AuthenticatorSetup } from "./authenticator-setup.tsx";
import { mfaRegistrationStatus, useCurrentUser } from "../lib/current-user.ts";
import { invalidateNoun } from "../lib/query.ts";
import { useAuthState } from "../lib/tokens.ts";
import { AuthPanel, Loading } from "./auth-panel.tsx";
import { FirstRecoveryCodes } from "./first-recovery-codes.tsx";
import { RedirectAfterLogin } from "./redirect-after-login.tsx";
import { UseAnotherAccount } from "./use-another-account.tsx";

export function MfaRegisterPage() {
  const authState = useAuthState();
  const registered = mfaRegistrationStatus(useCurrentUser());
  const notice = useNotice();
  const navigate = useNavigate();
  const [isRegistered, setRegistered] = useState(false);
  if (authState === "authenticated")
    return isRegistered ? <FirstRecoveryCodes onDone={() => setRegistered(false)} /> : <RedirectAfterLogin />;
  if (registered === "unknown") return <Loading />;
  // A notice means that the second factor requires a new authenticator, even if the user still has an old one.
  if (registered === "yes" && !notice) return <Navigate to="/auth/mfa" replace />;

  async function goToSecondFactor() {
    await invalidateNoun("auth");
    await navigate("/auth/mfa", { replace: true });
  }

  /** The user already has an authenticator, for example from another tab: adding one requires its code. */
  function redirectToSecondFactor(error: Error): boolean {
    if (!(error instanceof AuthError) || error.code !== "ERR_2FA_REQUIRED") return false;
    void goToSecondFactor();
    return true;
  }

  return (
    <AuthPanel
      title="Set up your authenticator"
      lead="Lightkeeper requires two-factor authentication. Scan this code with an authenticator app, then enter the 6-digit code."
    >
      <AuthenticatorSetup
        notice={notice}
        onError={redirectToSecondFactor}
        // Before the auth token is saved, which redirects.
        onVerified={() => flushSync(() => setRegistered(true))}
      />
      <UseAnotherAccount />
    </AuthPanel>
  );
}

function useNotice(): string | undefined {
  const state = useLocation().state as { notice?: unknown } | null;
  return typeof state?.notice === "string" ? state.notice : undefined;
}
