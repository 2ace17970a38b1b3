import { ForbiddenError, verifyMagicLink } from "@lightkeeper/contract";
import { useEffect, useState } from "react";
import { useSearchParams } from "react-router";
import { hasCode, markHandled, shownMessageOrAlert } from "../lib/errors.ts";
import { magicLinkInvalid } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { Button } from "../ui/controls/button.tsx";
import { AuthPanel } from "./auth-panel.tsx";
import styles from "./auth.module.css";
import { InvitationChoice } from "./invitation-choice.tsx";
import { INVITATION_ONLY } from "./invitation-only.ts";
import { LinkFailed } from "./link-failed.tsx";
import { useStartSession } from "./use-start-session.ts";

const PARAMETER = "magicLinkToken";
/** The server was restarted after the link was requested. */
const SETUP_CODE_CHANGED =
  "The setup code has changed since this link was requested. Sign up again with the newest setup code from the server’s log.";

/** Verifies only after a click: mail scanners open links, and a link works once. */
export function MagicLinkPage() {
  const token = useTokenFromURL();
  if (!token)
    return (
      <LinkFailed message="This login link is incomplete. Open it from your email again, or request a new one." />
    );
  return <Confirm token={token} />;
}

/** Removes the token from the address bar immediately, so that it stays neither in the history nor on screen. */
function useTokenFromURL(): string {
  const [parameters, setParameters] = useSearchParams();
  const tokenInURL = parameters.get(PARAMETER);
  const [token] = useState(tokenInURL ?? "");
  useEffect(() => {
    if (tokenInURL === null) return;
    setParameters(
      (all) => {
        all.delete(PARAMETER);
        return all;
      },
      { replace: true },
    );
  }, [tokenInURL, setParameters]);
  return token;
}

function Confirm({ token }: { token: string }) {
  const [failure, setFailure] = useState<string>();
  const [isInvited, setIsInvited] = useState(false);
  const startSession = useStartSession();
  const { mutateAsync: verify, isPending } = useWrite(verifyMagicLink);

  async function logIn() {
    try {
      const { sessionToken } = await verify({ body: { magicLinkToken: token } });
      await startSession(sessionToken);
    } catch (error) {
      if (hasCode(error, "ERR_INVITATION_PENDING")) {
        markHandled(error);
        setIsInvited(true);
      } else if (error instanceof ForbiddenError) {
        markHandled(error);
        setFailure(INVITATION_ONLY);
      } else if (hasCode(error, "ERR_INVALID_SETUP_CODE")) {
        markHandled(error);
        setFailure(SETUP_CODE_CHANGED);
      } else setFailure(shownMessageOrAlert(error, [magicLinkInvalid]));
    }
  }

  if (isInvited) return <InvitationChoice token={token} />;
  if (failure === SETUP_CODE_CHANGED)
    return <LinkFailed message={failure} action={{ to: "/signup", label: "Sign up again" }} />;
  if (failure) return <LinkFailed message={failure} />;
  return (
    <AuthPanel title="Log in" lead="Confirm to continue. You’ll enter your authenticator code next.">
      <Button variant="primary" size="large" wide autoFocus pending={isPending} onClick={() => void logIn()}>
        Log in
      </Button>
      <p className={styles.aside}>
        Didn’t request this? Close this page. Nothing happens until you click Log in.
      </p>
    </AuthPanel>
  );
}
