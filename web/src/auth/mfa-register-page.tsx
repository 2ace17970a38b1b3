import { AuthError } from "@lightkeeper/contract";
import { Navigate, useLocation, useNavigate } from "react-router";
import { AuthenticatorSetup } from "./authenticator-setup.tsx";
import { mfaRegistrationStatus, useCurrentUser } from "../lib/current-user.ts";
import { invalidateNoun } from "../lib/query.ts";
import { useAuthState } from "../lib/tokens.ts";
import { AuthPanel, Waiting } from "./auth-panel.tsx";
import { GoOn } from "./go-on.tsx";
import { UseAnotherAccount } from "./use-another-account.tsx";

export function MfaRegisterPage() {
  const authState = useAuthState();
  const registered = mfaRegistrationStatus(useCurrentUser());
  const notice = useNotice();
  const navigate = useNavigate();
  if (authState === "authenticated") return <GoOn />;
  if (registered === "unknown") return <Waiting />;
  // Whoever was sent here by the second factor has to set one up, whatever is known of an older one.
  if (registered === "yes" && !notice) return <Navigate to="/auth/mfa" replace />;

  async function goToSecondFactor() {
    await invalidateNoun("auth");
    await navigate("/auth/mfa", { replace: true });
  }

  /** The user has an authenticator already, for example from another tab: adding one needs its code. */
  function leadToSecondFactor(error: Error): boolean {
    if (!(error instanceof AuthError) || error.code !== "ERR_2FA_REQUIRED") return false;
    void goToSecondFactor();
    return true;
  }

  return (
    <AuthPanel
      title="Set up your authenticator"
      lead="Every log-in takes a code from an authenticator app. Scan this with yours, then enter the code it shows."
    >
      <AuthenticatorSetup notice={notice} onRefused={leadToSecondFactor} />
      <UseAnotherAccount />
    </AuthPanel>
  );
}

function useNotice(): string | undefined {
  const state = useLocation().state as { notice?: unknown } | null;
  return typeof state?.notice === "string" ? state.notice : undefined;
}
