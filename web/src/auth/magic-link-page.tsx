import { ForbiddenError, verifyMagicLink } from "@lightkeeper/contract";
import { useEffect, useState } from "react";
import { useSearchParams } from "react-router";
import { hasCode, markHandled, refusalOrAlert } from "../lib/errors.ts";
import { magicLinkInvalid } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { Button } from "../ui/controls/button.tsx";
import { AuthPanel } from "./auth-panel.tsx";
import styles from "./auth.module.css";
import { InvitationChoice } from "./invitation-choice.tsx";
import { INVITATION_ONLY } from "./invitation-only.ts";
import { LinkFailed } from "./link-failed.tsx";
import { useLogIn } from "./use-log-in.ts";

const PARAMETER = "magicLinkToken";
/** The server was restarted after the link was requested. */
const SETUP_CODE_CHANGED =
  "The setup code has changed since this link was requested. Sign up again with the newest setup code from the server’s log.";

/** Asks for one click before it verifies: mail scanners open links, and a link works once. */
export function MagicLinkPage() {
  const token = useTokenFromAddress();
  if (!token)
    return (
      <LinkFailed message="This address has no link in it. Open the link in your e-mail, or ask for a new one." />
    );
  return <Confirm token={token} />;
}

/** Takes the token out of the address bar at once, so that neither history nor screen keeps it. */
function useTokenFromAddress(): string {
  const [parameters, setParameters] = useSearchParams();
  const inAddress = parameters.get(PARAMETER);
  const [token] = useState(inAddress ?? "");
  useEffect(() => {
    if (inAddress === null) return;
    setParameters(
      (all) => {
        all.delete(PARAMETER);
        return all;
      },
      { replace: true },
    );
  }, [inAddress, setParameters]);
  return token;
}

function Confirm({ token }: { token: string }) {
  const [failure, setFailure] = useState<string>();
  const [isInvited, setIsInvited] = useState(false);
  const enter = useLogIn();
  const { mutateAsync: verify, isPending } = useWrite(verifyMagicLink);

  async function logIn() {
    try {
      const { sessionToken } = await verify({ body: { magicLinkToken: token } });
      await enter(sessionToken);
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
      } else setFailure(refusalOrAlert(error, [magicLinkInvalid]));
    }
  }

  if (isInvited) return <InvitationChoice token={token} />;
  if (failure === SETUP_CODE_CHANGED)
    return <LinkFailed message={failure} action={{ to: "/signup", label: "Sign up again" }} />;
  if (failure) return <LinkFailed message={failure} />;
  return (
    <AuthPanel title="Log in" lead="One click, and then your authenticator code.">
      <Button variant="primary" size="large" wide autoFocus pending={isPending} onClick={() => void logIn()}>
        Log in
      </Button>
      <p className={styles.aside}>If you did not ask for this link, close this page: nothing has happened.</p>
    </AuthPanel>
  );
}
