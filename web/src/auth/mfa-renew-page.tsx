import { useNavigate } from "react-router";
import { takeReturnTo } from "../lib/session.ts";
import { Button } from "../ui/controls/button.tsx";
import { AuthPanel } from "./auth-panel.tsx";
import { SecondFactorForm } from "./second-factor-form.tsx";

/** Some actions require a second factor from the last hour. After confirming, people return to what they were doing. */
export function MfaRenewPage() {
  const navigate = useNavigate();
  const goBack = () => void navigate(takeReturnTo(), { replace: true });
  return (
    <AuthPanel
      title="Confirm it’s you"
      lead="This action requires a new code from your authenticator app. You’ll return to the page you were on."
    >
      <SecondFactorForm submitLabel="Confirm" onDone={goBack} />
      <Button variant="quiet" onClick={goBack}>
        Not now
      </Button>
    </AuthPanel>
  );
}
