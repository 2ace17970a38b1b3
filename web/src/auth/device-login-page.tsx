import { getEndpointSignIn, startEndpointSignIn } from "@lightkeeper/contract";
import { useSearchParams } from "react-router";
import { AuthFormFrame, useAuthForm } from "../lib/auth-form.tsx";
import { oidcRules, organizationUnclear } from "../lib/messages.ts";
import { useRead, useWrite } from "../lib/query.ts";
import { Field, TextInput } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { AuthPanel, Waiting } from "./auth-panel.tsx";
import styles from "./auth.module.css";
import { rememberOidcRequest } from "./oidc-request.ts";
import { webAddress } from "../lib/web-address.ts";

const TITLE = "Sign in a device";

/** Where a device sends its person: one click at least, for nobody is to sign in for a stranger's device unawares. */
export function Component() {
  const [parameters] = useSearchParams();
  const loginToken = parameters.get("loginToken") ?? "";
  const { data, isError } = useRead(getEndpointSignIn, { query: { loginToken } });
  if (isError)
    return (
      <AuthPanel title={TITLE}>
        <Notice tone="danger">This sign-in is unknown or has expired. Start again on the device.</Notice>
      </AuthPanel>
    );
  if (!data)
    return (
      <AuthPanel title={TITLE}>
        <Waiting />
      </AuthPanel>
    );
  if (data.isCompleted)
    return (
      <AuthPanel title={TITLE}>
        <Notice tone="ok">The device is signed in. You can close this page.</Notice>
      </AuthPanel>
    );
  const lead = data.device
    ? `${data.device.name} wants to stay in the network of ${data.device.organizationName}.`
    : "A device wants to join your organization’s network.";
  return (
    <AuthPanel title={TITLE} lead={lead}>
      <SignInForm loginToken={loginToken} asksForOrganization={data.device === null} />
      <p className={styles.aside}>
        Go on only if you have just started this on a device of yours. Otherwise close this page: nothing has
        happened.
      </p>
    </AuthPanel>
  );
}

function SignInForm({
  loginToken,
  asksForOrganization,
}: {
  loginToken: string;
  asksForOrganization: boolean;
}) {
  const { mutateAsync: start } = useWrite(startEndpointSignIn);
  const { form, submit } = useAuthForm({
    defaultValues: { organization: "" },
    send: async ({ organization }) => {
      const body = { loginToken, ...(asksForOrganization && { organization: organization.trim() }) };
      const { oidcRequestToken, redirectURL } = await start({ body });
      const target = webAddress(redirectURL);
      rememberOidcRequest({ oidcRequestToken, organizationID: "", from: "/", isForDevice: true });
      location.assign(target);
    },
    rules: [...oidcRules, organizationUnclear],
  });
  return (
    <AuthFormFrame form={form} submit={submit} submitLabel="Continue with single sign-on">
      {asksForOrganization && (
        <Field
          label="E-mail address or organization ID"
          hint="The address you have at your organization."
          error={form.formState.errors.organization?.message}
        >
          <TextInput
            {...form.register("organization", {
              validate: (value: string) => value.trim() !== "" || "Say which organization the device is for.",
            })}
            autoFocus
            autoComplete="email"
            autoCapitalize="off"
            spellCheck={false}
            className={styles.input}
          />
        </Field>
      )}
    </AuthFormFrame>
  );
}
