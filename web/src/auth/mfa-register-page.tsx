import {
  AuthError,
  createTotpAuthenticator,
  RequestError,
  verifyTotpAuthenticator,
} from "@lightkeeper/contract";
import { useEffect, useRef, useState } from "react";
import { Navigate, useLocation, useNavigate } from "react-router";
import { mfaRegistrationStatus, useCurrentUser } from "../lib/current-user.ts";
import { hasCode, messageOf, reword } from "../lib/errors.ts";
import {
  authenticatorLimitExceeded,
  authenticatorSetupCodeInvalid,
  authenticatorSetupExpired,
  tooManyRequests,
} from "../lib/messages.ts";
import { invalidateNoun, useWrite } from "../lib/query.ts";
import { saveAuthToken, useAuthState } from "../lib/tokens.ts";
import { ErrorState } from "../ui/error-state.tsx";
import { Notice } from "../ui/notice.tsx";
import { AuthPanel, Waiting } from "./auth-panel.tsx";
import { AuthenticatorKey } from "./authenticator-key.tsx";
import { CodeForm } from "./code-form.tsx";
import { GoOn } from "./go-on.tsx";
import { UseAnotherAccount } from "./use-another-account.tsx";

export function Component() {
  const authState = useAuthState();
  const registered = mfaRegistrationStatus(useCurrentUser());
  const notice = useNotice();
  if (authState === "authenticated") return <GoOn />;
  if (registered === "unknown") return <Waiting />;
  // Whoever was sent here by the second factor has to set one up, whatever is known of an older one.
  if (registered === "yes" && !notice) return <Navigate to="/auth/mfa" replace />;
  return (
    <AuthPanel
      title="Set up your authenticator"
      lead="Every log-in takes a code from an authenticator app. Scan this with yours, then enter the code it shows."
    >
      <Setup notice={notice} />
      <UseAnotherAccount />
    </AuthPanel>
  );
}

function useNotice(): string | undefined {
  const state = useLocation().state as { notice?: unknown } | null;
  return typeof state?.notice === "string" ? state.notice : undefined;
}

function Setup({ notice: given }: { notice: string | undefined }) {
  const [notice, setNotice] = useState(given);
  const { data, error, start } = useSetup();
  const { mutateAsync: verify } = useWrite(verifyTotpAuthenticator, {
    invalidates: ["auth"],
    onSuccess: ({ authToken }) => saveAuthToken(authToken),
  });

  if (error) return <SetupFailed error={error} onRetry={start} />;
  return (
    <>
      {notice && <Notice tone="warn">{notice}</Notice>}
      <AuthenticatorKey setup={data} />
      {data && (
        <CodeForm
          label="Code from the app"
          submitLabel="Finish"
          rules={[authenticatorSetupCodeInvalid, authenticatorLimitExceeded, tooManyRequests]}
          send={(code) => verify({ body: { totpToken: data.totpToken, code } })}
          takes={(failure, form) => {
            if (!hasCode(failure, "ERR_INVALID_TOTP_TOKEN") || !(failure instanceof Error)) return false;
            setNotice(messageOf(reword(failure, [authenticatorSetupExpired])));
            form.reset();
            start();
            return true;
          }}
        />
      )}
    </>
  );
}

/** Asks for a new secret when the page opens, and again when one has expired. */
function useSetup() {
  const navigate = useNavigate();
  const create = useWrite(createTotpAuthenticator, {
    onError: async (error) => {
      if (!(error instanceof AuthError) || error.code !== "ERR_2FA_REQUIRED") return;
      // There is an authenticator after all, and only it opens the way to another.
      await invalidateNoun("auth");
      await navigate("/auth/mfa", { replace: true });
    },
  });
  const { mutate, data, error } = create;
  const started = useRef(false);
  useEffect(() => {
    if (started.current) return;
    started.current = true;
    mutate({ body: {} });
  }, [mutate]);
  return { data, error, start: () => mutate({ body: {} }) };
}

function SetupFailed({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (hasCode(error, "ERR_LIMIT_EXCEEDED"))
    return <Notice tone="danger">{messageOf(reword(error, [authenticatorLimitExceeded]))}</Notice>;
  return (
    <ErrorState
      title="No setup key could be made"
      message={messageOf(error)}
      requestID={error instanceof RequestError ? error.requestID : undefined}
      onRetry={onRetry}
    />
  );
}
