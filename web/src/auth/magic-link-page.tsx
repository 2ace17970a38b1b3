import { ForbiddenError, verifyMagicLink } from "@lightkeeper/contract";
import { useEffect, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { currentUserQuery, mfaRegistrationStatus } from "../lib/current-user.ts";
import { handleFormError, markHandled, reword } from "../lib/errors.ts";
import { magicLinkInvalid, tooManyRequests } from "../lib/messages.ts";
import { queryClient, useWrite } from "../lib/query.ts";
import { rememberReturnTo } from "../lib/session.ts";
import { removeAuthTokens, saveUserToken } from "../lib/tokens.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { AuthPanel } from "./auth-panel.tsx";
import styles from "./auth.module.css";
import { INVITATION_ONLY } from "./invitation-only.ts";

const PARAMETER = "magicLinkToken";

/** Asks for one click before it verifies: mail scanners open links, and a link works once. */
export function Component() {
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
  const navigate = useNavigate();
  const [parameters] = useSearchParams();
  const [failure, setFailure] = useState<string>();
  const { mutateAsync: verify, isPending } = useWrite(verifyMagicLink);

  async function logIn() {
    try {
      const { sessionToken } = await verify({ body: { magicLinkToken: token } });
      // An older second factor belongs to another session.
      removeAuthTokens();
      saveUserToken(sessionToken);
      if (parameters.get("plan") === "pro") rememberReturnTo("/signup/pro");
      await navigate(await nextStep(), { replace: true });
    } catch (error) {
      const show = ({ message }: { message: string }) => setFailure(message);
      if (error instanceof ForbiddenError) {
        markHandled(error);
        setFailure(INVITATION_ONLY);
      } else {
        const rules = [magicLinkInvalid, tooManyRequests];
        handleFormError(reword(error, rules), { "": show, magicLinkToken: show });
      }
    }
  }

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

async function nextStep(): Promise<string> {
  const user = await queryClient.fetchQuery({ ...currentUserQuery, staleTime: 0 }).catch(() => undefined);
  const registered = mfaRegistrationStatus({ data: user, isError: user === undefined });
  return registered === "no" ? "/auth/mfa/register" : "/auth/mfa";
}

function LinkFailed({ message }: { message: string }) {
  return (
    <AuthPanel title="Log in" announced>
      <Notice tone="danger">{message}</Notice>
      <LinkButton to="/auth/login" variant="primary" size="large" wide>
        Get a new link
      </LinkButton>
    </AuthPanel>
  );
}
