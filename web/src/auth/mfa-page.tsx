import { Navigate } from "react-router";
import { config } from "../lib/config.ts";
import { mfaRegistrationStatus, useCurrentUser } from "../lib/current-user.ts";
import { useAuthState } from "../lib/tokens.ts";
import { AuthPanel, Loading } from "./auth-panel.tsx";
import styles from "./auth.module.css";
import { RedirectAfterLogin } from "./redirect-after-login.tsx";
import { SecondFactorForm } from "./second-factor-form.tsx";
import { UseAnotherAccount } from "./use-another-account.tsx";

export function MfaPage() {
  const authState = useAuthState();
  const currentUser = useCurrentUser();
  const registered = mfaRegistrationStatus(currentUser);
  if (authState === "authenticated") return <RedirectAfterLogin />;
  if (registered === "unknown") return <Loading />;
  if (registered === "no") return <Navigate to="/auth/mfa/register" replace />;
  return (
    <AuthPanel
      title="Second factor"
      lead={
        currentUser.data && (
          <>
            You’re logging in as <strong className={styles.address}>{currentUser.data.actor.email}</strong>.
          </>
        )
      }
    >
      <SecondFactorForm submitLabel="Log in" />
      <UseAnotherAccount />
      <p className={styles.aside}>
        Lost your authenticator? Contact <a href={`mailto:${config.supportEmail}`}>{config.supportEmail}</a>.
      </p>
    </AuthPanel>
  );
}
