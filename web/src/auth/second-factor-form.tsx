import { logInWithTotp } from "@lightkeeper/contract";
import { useState } from "react";
import { useNavigate } from "react-router";
import { CodeForm } from "../forms/code-form.tsx";
import { hasCode, messageOf, reword } from "../lib/errors.ts";
import { enrollmentRequired, secondFactorCodeInvalid, tooManyRequests } from "../lib/messages.ts";
import { invalidateNoun, useWrite } from "../lib/query.ts";
import { saveAuthToken } from "../lib/tokens.ts";
import { Button } from "../ui/controls/button.tsx";
import { RecoveryCodeForm } from "./recovery-code-form.tsx";

interface SecondFactorFormProps {
  submitLabel: string;
  onDone?: () => void;
}

/** Takes a code from an authenticator app, or a recovery code instead. */
export function SecondFactorForm(props: SecondFactorFormProps) {
  const [isRecovering, setRecovering] = useState(false);
  const handleError = useEnrollment();
  return (
    <>
      {isRecovering ? (
        <RecoveryCodeForm {...props} handleError={handleError} />
      ) : (
        <AuthenticatorCodeForm {...props} handleError={handleError} />
      )}
      <Button variant="quiet" onClick={() => setRecovering(!isRecovering)}>
        {isRecovering ? "Use an authenticator app" : "Use a recovery code"}
      </Button>
    </>
  );
}

interface AuthenticatorCodeFormProps extends SecondFactorFormProps {
  handleError: (error: unknown) => boolean;
}

function AuthenticatorCodeForm({ submitLabel, onDone, handleError }: AuthenticatorCodeFormProps) {
  const { mutateAsync: logIn } = useWrite(logInWithTotp, {
    onSuccess: ({ authToken }) => {
      saveAuthToken(authToken);
      onDone?.();
    },
  });
  return (
    <CodeForm
      label="Code from your authenticator app"
      submitLabel={submitLabel}
      rules={[secondFactorCodeInvalid, tooManyRequests]}
      send={(code) => logIn({ body: { code } })}
      handleError={handleError}
    />
  );
}

/** Returns a function that takes an error: if it asks for a new authenticator, it leads there and returns true. */
function useEnrollment(): (error: unknown) => boolean {
  const navigate = useNavigate();

  async function setUp(notice: string) {
    await navigate("/auth/mfa/register", { replace: true, state: { notice } });
    await invalidateNoun("auth");
  }

  return (error) => {
    if (!hasCode(error, "ERR_2FA_ENROLLMENT_REQUIRED") || !(error instanceof Error)) return false;
    void setUp(messageOf(reword(error, [enrollmentRequired])));
    return true;
  };
}
