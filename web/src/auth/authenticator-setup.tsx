import {
  createTotpAuthenticator,
  type DataOf,
  RequestError,
  verifyTotpAuthenticator,
} from "@lightkeeper/contract";
import { useEffect, useRef, useState } from "react";
import { ErrorState } from "../ui/feedback/error-state.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { AuthenticatorKey } from "./authenticator-key.tsx";
import { CodeForm } from "../forms/code-form.tsx";
import { hasCode, messageOf, reword } from "../lib/errors.ts";
import {
  authenticatorLimitExceeded,
  authenticatorSetupCodeInvalid,
  authenticatorSetupExpired,
  tooManyRequests,
} from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { saveAuthToken } from "../lib/tokens.ts";

interface AuthenticatorSetupProps {
  /** Without a name, the server chooses one. */
  name?: string;
  /** Why an authenticator has to be set up. */
  notice?: string | undefined;
  /** Called first with the error of either step; returns true if it navigates away, false to show the error here. */
  onError?: (error: Error) => boolean;
  /** Called before the auth token is saved. */
  onVerified?: () => void;
  onDone?: (authenticator: DataOf<typeof verifyTotpAuthenticator>["authenticator"]) => unknown;
}

/** Shows a key to scan and verifies the code that the app then shows. */
export function AuthenticatorSetup({
  name,
  notice: initialNotice,
  onError,
  onVerified,
  onDone,
}: AuthenticatorSetupProps) {
  const [notice, setNotice] = useState(initialNotice);
  const { data, error, start } = useSetup(name, onError);
  const { mutateAsync: verify } = useWrite(verifyTotpAuthenticator, {
    invalidates: ["auth"],
    onSuccess: async ({ authToken, authenticator }) => {
      onVerified?.();
      saveAuthToken(authToken);
      await onDone?.(authenticator);
    },
  });

  if (error) return <SetupFailed error={error} onRetry={start} />;
  return (
    <>
      {notice && <Notice tone="warn">{notice}</Notice>}
      <AuthenticatorKey setup={data} />
      {data && (
        <CodeForm
          label="Code from your authenticator app"
          submitLabel="Finish"
          rules={[authenticatorSetupCodeInvalid, authenticatorLimitExceeded, tooManyRequests]}
          send={(code) => verify({ body: { totpToken: data.totpToken, code } })}
          handleError={(failure, form) => {
            if (!(failure instanceof Error)) return false;
            if (onError?.(failure)) return true;
            if (!hasCode(failure, "ERR_INVALID_TOTP_TOKEN")) return false;
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

/** Creates a secret on mount, and a new one when it expires. */
function useSetup(name: string | undefined, onError: AuthenticatorSetupProps["onError"]) {
  const { mutate, data, error } = useWrite(createTotpAuthenticator, {
    rules: [authenticatorLimitExceeded],
    onError: (failure) => onError?.(failure),
  });
  const body = name ? { name } : {};
  const start = () => mutate({ body });
  const started = useRef(false);
  useEffect(() => {
    if (started.current) return;
    started.current = true;
    start();
  });
  return { data, error, start };
}

function SetupFailed({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (hasCode(error, "ERR_LIMIT_EXCEEDED")) return <Notice tone="danger">{messageOf(error)}</Notice>;
  return (
    <ErrorState
      title="Couldn’t create a setup key"
      message={messageOf(error)}
      requestID={error instanceof RequestError ? error.requestID : undefined}
      onRetry={onRetry}
    />
  );
}
