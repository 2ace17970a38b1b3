import { createRecoveryCodes, RequestError } from "@lightkeeper/contract";
import { useEffect, useRef } from "react";
import { useAskBeforeUnload } from "../forms/leave-guard.tsx";
import { messageOf } from "../lib/errors.ts";
import { useWrite } from "../lib/query.ts";
import { Button } from "../ui/controls/button.tsx";
import { ErrorState } from "../ui/feedback/error-state.tsx";
import { AuthPanel, Loading } from "./auth-panel.tsx";
import { RecoveryCodes } from "../on-demand/recovery-codes.tsx";

/** Generates the codes of someone who has just set up their first authenticator. */
export function FirstRecoveryCodes({ onDone }: { onDone: () => void }) {
  // The page shows the error.
  const { mutate, data, error } = useWrite(createRecoveryCodes, { onError: () => undefined });
  const started = useRef(false);
  useEffect(() => {
    if (started.current) return;
    started.current = true;
    mutate();
  }, [mutate]);
  useAskBeforeUnload(data !== undefined);
  return (
    <AuthPanel
      announced
      title="Save your recovery codes"
      lead="If you lose your authenticator, log in with one of these codes. Each code works once."
    >
      {data && <RecoveryCodes codes={data.codes} />}
      {error && (
        <ErrorState
          title="Couldn’t create recovery codes"
          message={`${messageOf(error)} You can also generate them later, in User settings.`}
          requestID={error instanceof RequestError ? error.requestID : undefined}
          onRetry={() => mutate()}
        />
      )}
      {data || error ? (
        <Button variant={data ? "primary" : "quiet"} size="large" wide onClick={onDone}>
          {data ? "I’ve saved them" : "Not now"}
        </Button>
      ) : (
        <Loading label="Creating recovery codes" />
      )}
    </AuthPanel>
  );
}
