import { NotFoundError, startOidc } from "@lightkeeper/contract";
import { useEffect, useRef } from "react";
import { useParams } from "react-router";
import { messageOf } from "../lib/errors.ts";
import { oidcNotConfigured, oidcRules, organizationUnknown } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { suppressSsoRedirect, takeReturnTo } from "../lib/session.ts";
import { Button, LinkButton } from "../ui/controls/button.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { AuthPanel, Loading } from "./auth-panel.tsx";
import styles from "./auth.module.css";
import { rememberOidcRequest } from "./oidc-request.ts";
import { webAddress } from "../on-demand/web-address.ts";

/** Starts single sign-on immediately; people see this page only while it starts, or when it fails. */
export function SsoLoginPage() {
  const { orgID = "" } = useParams();
  const { mutate, error } = useWrite(startOidc, {
    onSuccess: ({ oidcRequestToken, redirectURL, organizationID }) => {
      const target = webAddress(redirectURL);
      rememberOidcRequest({ oidcRequestToken, organizationID, from: takeReturnTo() });
      location.assign(target);
    },
    rules: [organizationUnknown, ...oidcRules],
    onError: suppressSsoRedirect,
  });
  const started = useRef<string>(undefined);
  useEffect(() => {
    if (started.current === orgID) return;
    started.current = orgID;
    mutate({ params: { orgID } });
  }, [mutate, orgID]);

  return (
    <AuthPanel title="Single sign-on" lead={error ? undefined : "Redirecting to your identity provider…"}>
      {error ? (
        <>
          <Notice tone="danger">{messageFor(error)}</Notice>
          <div className={styles.actions}>
            <LinkButton to="/auth/login" variant="primary" size="large" wide>
              Back to login
            </LinkButton>
            <Button variant="quiet" onClick={() => mutate({ params: { orgID } })}>
              Try again
            </Button>
          </div>
        </>
      ) : (
        <Loading />
      )}
    </AuthPanel>
  );
}

function messageFor(error: Error): string {
  if (error instanceof NotFoundError) return String(oidcNotConfigured.message);
  return messageOf(error);
}
