import { logInWithTotp } from "@lightkeeper/contract";
import { useNavigate } from "react-router";
import { hasCode, messageOf, reword } from "../lib/errors.ts";
import { enrollmentRequired, secondFactorCodeInvalid, tooManyRequests } from "../lib/messages.ts";
import { invalidateNoun, useWrite } from "../lib/query.ts";
import { saveAuthToken } from "../lib/tokens.ts";
import { CodeForm } from "../forms/code-form.tsx";

interface SecondFactorFormProps {
  submitLabel: string;
  onDone?: () => void;
}

export function SecondFactorForm({ submitLabel, onDone }: SecondFactorFormProps) {
  const navigate = useNavigate();
  const { mutateAsync: logIn } = useWrite(logInWithTotp, {
    onSuccess: ({ authToken }) => {
      saveAuthToken(authToken);
      onDone?.();
    },
  });

  async function setUp(notice: string) {
    await navigate("/auth/mfa/register", { replace: true, state: { notice } });
    await invalidateNoun("auth");
  }

  return (
    <CodeForm
      label="Code from your authenticator app"
      submitLabel={submitLabel}
      rules={[secondFactorCodeInvalid, tooManyRequests]}
      send={(code) => logIn({ body: { code } })}
      handleError={(error) => {
        if (!hasCode(error, "ERR_2FA_ENROLLMENT_REQUIRED") || !(error instanceof Error)) return false;
        void setUp(messageOf(reword(error, [enrollmentRequired])));
        return true;
      }}
    />
  );
}
