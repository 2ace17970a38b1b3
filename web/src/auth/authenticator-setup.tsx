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
import { CodeForm } from "./code-form.tsx";
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
  /** What to call it; the server has a name of its own for one without. */
  name?: string;
  /** Why one has to be set up. */
  notice?: string | undefined;
  /** Gets the error of either step first; true if the person is taken elsewhere, false to show the error here. */
  onRefused?: (error: Error) => boolean;
  onDone?: (authenticator: DataOf<typeof verifyTotpAuthenticator>["authenticator"]) => unknown;
}

/** A key to scan and the code that proves it was scanned. */
export function AuthenticatorSetup({ name, notice: given, onRefused, onDone }: AuthenticatorSetupProps) {
  const [notice, setNotice] = useState(given);
  const { data, error, start } = useSetup(name, onRefused);
  const { mutateAsync: verify } = useWrite(verifyTotpAuthenticator, {
    invalidates: ["auth"],
    onSuccess: async ({ authToken, authenticator }) => {
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
          label="Code from the app"
          submitLabel="Finish"
          rules={[authenticatorSetupCodeInvalid, authenticatorLimitExceeded, tooManyRequests]}
          send={(code) => verify({ body: { totpToken: data.totpToken, code } })}
          takes={(failure, form) => {
            if (!(failure instanceof Error)) return false;
            if (onRefused?.(failure)) return true;
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

/** Asks for a new secret when it appears, and again when one has expired. */
function useSetup(name: string | undefined, onRefused: AuthenticatorSetupProps["onRefused"]) {
  const { mutate, data, error } = useWrite(createTotpAuthenticator, {
    rules: [authenticatorLimitExceeded],
    onError: (failure) => onRefused?.(failure),
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
      title="No setup key could be made"
      message={messageOf(error)}
      requestID={error instanceof RequestError ? error.requestID : undefined}
      onRetry={onRetry}
    />
  );
}
