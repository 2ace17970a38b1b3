import { verifyEndpointSignIn, verifyOidc, verifyOidcTrial } from "@lightkeeper/contract";
import { useEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { messageOf } from "../lib/errors.ts";
import { OIDC_STATE_MISSING, oidcRules, type Rule } from "../lib/messages.ts";
import { clearTestSignIn, testSignInAt, reportTestSignIn } from "../sso/test-sign-in-channel.ts";
import { useWrite } from "../lib/query.ts";
import { suppressSsoRedirect, rememberSsoOrganization } from "../lib/session.ts";
import { removeAllTokens, saveOidcToken } from "../lib/tokens.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { Time } from "../ui/text/time.tsx";
import { AuthPanel, Loading } from "./auth-panel.tsx";
import { clearOidcRequest, type OidcRequest, rememberedOidcRequest } from "./oidc-request.ts";

/** The identity provider redirects here after every sign-in: to the console, of a device, or a test. */
export function OidcCallbackPage() {
  const [request] = useState(rememberedOidcRequest);
  const [testToken] = useState(() => testSignInAt(location.href));
  if (testToken !== undefined) return <TestSignIn oidcRequestToken={testToken} />;
  if (!request) return <Failed message={OIDC_STATE_MISSING} />;
  return request.isForDevice ? <DeviceSignIn request={request} /> : <ConsoleSignIn request={request} />;
}

/** Calls `finish` once, however often the page is rendered. */
function useFinishOnce(
  { oidcRequestToken }: Pick<OidcRequest, "oidcRequestToken">,
  finish: (body: Callback) => void,
  clearRequest = clearOidcRequest,
): void {
  const finished = useRef(false);
  useEffect(() => {
    if (finished.current) return;
    finished.current = true;
    clearRequest();
    finish({ oidcRequestToken, location: location.href });
  }, [finish, clearRequest, oidcRequestToken]);
}

interface Callback {
  oidcRequestToken: string;
  location: string;
}

function ConsoleSignIn({ request }: { request: OidcRequest }) {
  const navigate = useNavigate();
  const { mutate, error } = useWrite(verifyOidc, {
    onSuccess: async ({ authToken }) => {
      // A user token from an unfinished login may belong to a different person.
      removeAllTokens("changed");
      saveOidcToken(authToken);
      rememberSsoOrganization(request.organizationID);
      await navigate(request.from, { replace: true });
    },
    rules: oidcRules,
    onError: suppressSsoRedirect,
  });
  useFinishOnce(request, (body) => mutate({ body }));
  if (error)
    return (
      <Failed
        message={messageOf(error)}
        again={`/auth/login/${encodeURIComponent(request.organizationID)}`}
      />
    );
  return (
    <AuthPanel title="Single sign-on" lead="Signing you in…">
      <Loading />
    </AuthPanel>
  );
}

/** People who sign in a device don’t learn which guarantee it breaks. */
const deviceRules: readonly Rule[] = [
  ...oidcRules,
  {
    codes: ["ERR_GUARANTEE_VIOLATED"],
    message: "This device would break a guarantee of your organization. Ask an administrator.",
  },
];

function DeviceSignIn({ request }: { request: OidcRequest }) {
  const { mutate, error, data } = useWrite(verifyEndpointSignIn, { rules: deviceRules });
  useFinishOnce(request, (body) => mutate({ body }));
  if (error) return <Failed message={messageOf(error)} />;
  if (!data)
    return (
      <AuthPanel title="Sign in a device" lead="Signing you in…">
        <Loading />
      </AuthPanel>
    );
  if (data.state === "pendingApproval")
    return (
      <AuthPanel title="Waiting for approval" pageTitle="Auth: Sign in a device" announced>
        <Notice tone="info">
          You signed in as {data.email}. An administrator must approve this device before{" "}
          <Time at={data.expiresAt} absolute />.
        </Notice>
        <p>Keep the sign-in open on the device. It continues automatically. You can close this page.</p>
      </AuthPanel>
    );
  return (
    <AuthPanel title="Signed in" pageTitle="Auth: Sign in a device" announced>
      <Notice tone="ok">
        {data.deviceName} is signed in as {data.email} until <Time at={data.validUntil} absolute />.
      </Notice>
      <p>Go back to the device. It continues automatically. You can close this page.</p>
    </AuthPanel>
  );
}

/** Shows the result of a test sign-in, which starts no session. */
function TestSignIn({ oidcRequestToken }: { oidcRequestToken: string }) {
  const { mutate, error, data } = useWrite(verifyOidcTrial, {
    onSuccess: (result) => reportTestSignIn({ oidcRequestToken, result }),
    rules: oidcRules,
  });
  useFinishOnce({ oidcRequestToken }, (body) => mutate({ body }), clearTestSignIn);
  return (
    <AuthPanel title="Test sign-in" announced={Boolean(data ?? error)}>
      {error && <Notice tone="danger">{messageOf(error)}</Notice>}
      {data?.isAdmitted && (
        <Notice tone="ok">
          {data.email} can sign in with the role {data.role}. Claims received: {data.claims.join(", ")}.
        </Notice>
      )}
      {data && !data.isAdmitted && (
        <Notice tone="warn">
          {data.email} can’t sign in: the provider didn’t send email_verified. Go back to the settings to
          trust its email addresses.
        </Notice>
      )}
      {data || error ? <p>Close this tab to go back to the settings.</p> : <Loading />}
    </AuthPanel>
  );
}

function Failed({ message, again }: { message: string; again?: string }) {
  return (
    <AuthPanel title="Single sign-on" announced>
      <Notice tone="danger">{message}</Notice>
      {again && (
        <LinkButton to={again} variant="primary" size="large" wide>
          Try again
        </LinkButton>
      )}
      <LinkButton to="/auth/login" variant={again ? "quiet" : "primary"} size="large" wide>
        Back to login
      </LinkButton>
    </AuthPanel>
  );
}
