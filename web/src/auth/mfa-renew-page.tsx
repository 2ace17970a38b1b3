import { useNavigate } from "react-router";
import { takeReturnTo } from "../lib/session.ts";
import { Button } from "../ui/controls/button.tsx";
import { AuthPanel } from "./auth-panel.tsx";
import { SecondFactorForm } from "./second-factor-form.tsx";

/** Some acts want a second factor from the last hour: it is given again, and the person goes back. */
export function MfaRenewPage() {
  const navigate = useNavigate();
  const goBack = () => void navigate(takeReturnTo(), { replace: true });
  return (
    <AuthPanel
      title="Confirm it is you"
      lead="What you are about to do needs a code from the last hour. Then you come back to where you were."
    >
      <SecondFactorForm submitLabel="Confirm" onDone={goBack} />
      <Button variant="quiet" onClick={goBack}>
        Not now
      </Button>
    </AuthPanel>
  );
}
