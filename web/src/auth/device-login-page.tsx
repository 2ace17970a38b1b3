import { getEndpointSignIn, startEndpointSignIn } from "@lightkeeper/contract";
import { useId } from "react";
import { useSearchParams } from "react-router";
import { AuthFormFrame, useAuthForm } from "../forms/auth-form.tsx";
import { oidcRules, organizationUnknown } from "../lib/messages.ts";
import { useRead, useWrite } from "../lib/query.ts";
import { Checkbox } from "../ui/forms/checkbox.tsx";
import { Field, TextInput } from "../ui/forms/field.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { AuthPanel, Loading } from "./auth-panel.tsx";
import styles from "./auth.module.css";
import { rememberOidcRequest } from "./oidc-request.ts";
import { webAddress } from "../on-demand/web-address.ts";

const TITLE = "Sign in a device";
const CODE_NOT_CONFIRMED =
  "Compare the codes and confirm that they match. If they don’t, close this page: someone else may have started this sign-in.";

/** Opened by a device's login URL. People compare codes first, so that they don't sign in an attacker's device. */
export function DeviceLoginPage() {
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
        <Loading />
      </AuthPanel>
    );
  if (data.state !== "open")
    return (
      <AuthPanel title={TITLE}>
        <Notice tone={finished[data.state].tone}>{finished[data.state].message}</Notice>
      </AuthPanel>
    );
  const lead = data.device
    ? `${data.device.name} wants to stay connected to the network of ${data.device.organizationName}.`
    : "A device wants to join your organization’s network.";
  return (
    <AuthPanel title={TITLE} lead={lead}>
      <SignInForm
        loginToken={loginToken}
        code={data.verificationCode}
        asksForOrganization={data.device === null}
      />
      <p className={styles.aside}>
        Continue only if you just started this on your own device. Otherwise, close this page.
      </p>
    </AuthPanel>
  );
}

const finished = {
  completed: { tone: "ok", message: "The device is signed in. You can close this page." },
  pendingApproval: {
    tone: "info",
    message:
      "An administrator must approve this device. The device then continues automatically. You can close this page.",
  },
  rejected: {
    tone: "danger",
    message:
      "An administrator rejected this device. Contact your administrator, then start again on the device.",
  },
} as const;

function SignInForm({
  loginToken,
  code,
  asksForOrganization,
}: {
  loginToken: string;
  code: string;
  asksForOrganization: boolean;
}) {
  const { mutateAsync: start } = useWrite(startEndpointSignIn);
  const { form, submit } = useAuthForm({
    defaultValues: { organization: "", isSameCode: false },
    send: async ({ organization }) => {
      const body = { loginToken, ...(asksForOrganization && { organization: organization.trim() }) };
      const { oidcRequestToken, redirectURL } = await start({ body });
      const target = webAddress(redirectURL);
      rememberOidcRequest({ oidcRequestToken, organizationID: "", from: "/", isForDevice: true });
      location.assign(target);
    },
    rules: [...oidcRules, organizationUnknown],
  });
  return (
    <AuthFormFrame form={form} submit={submit} submitLabel="Continue with single sign-on">
      <CodeToCompare code={code} />
      <Checkbox
        {...form.register("isSameCode", { required: CODE_NOT_CONFIRMED })}
        label="The code on my device is the same"
        error={form.formState.errors.isSameCode?.message}
      />
      {asksForOrganization && (
        <Field label="Work email or organization ID" error={form.formState.errors.organization?.message}>
          <TextInput
            {...form.register("organization", {
              validate: (value: string) => value.trim() !== "" || "Enter your work email or organization ID.",
            })}
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

function CodeToCompare({ code }: { code: string }) {
  const labelID = useId();
  return (
    <div className={styles.compare}>
      <p id={labelID}>Compare this code with the one on your device:</p>
      <output aria-labelledby={labelID} className={styles.code}>
        {code}
      </output>
    </div>
  );
}
