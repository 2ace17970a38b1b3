import { type Output, testOidcProvider } from "@lightkeeper/contract";
import { useState } from "react";
import { useWatch } from "react-hook-form";
import { useDraft } from "../forms/draft.ts";
import { handleFormError, reword } from "../lib/errors.ts";
import { type TestSignInResult, rememberTestSignIn, useTestSignInResult } from "./test-sign-in-channel.ts";
import { useWrite } from "../lib/query.ts";
import { useRenewal } from "../lib/renewal.ts";
import { webAddress } from "../on-demand/web-address.ts";
import { Button } from "../ui/controls/button.tsx";
import { FormSection } from "../ui/pages/form-page.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { ssoRoleLabels } from "./sso-role-labels.ts";
import { ssoRules } from "./sso-rules.ts";
import { type SsoFormState, toBody } from "./sso-values.ts";
import styles from "./sso.module.css";

/** Opens a new tab, so that the form keeps its values. */
function startTestSignIn({ oidcRequestToken, redirectURL }: Output<typeof testOidcProvider>["trial"]): void {
  rememberTestSignIn(oidcRequestToken, redirectURL);
  window.open(webAddress(redirectURL), "_blank", "noopener");
}

/** Checks the connection to the provider with the form's values, without saving them. */
export function ProviderTestSection({ form }: { form: SsoFormState }) {
  const [tested, setTested] = useState<Output<typeof testOidcProvider>>();
  const { mutateAsync: test, isPending } = useWrite(testOidcProvider);
  const renew = useRenewal(useDraft(form));
  const result = useTestSignInResult(tested?.trial.oidcRequestToken);

  const run = form.handleSubmit(async (values) => {
    setTested(undefined);
    try {
      setTested(await test({ body: toBody(values) }));
    } catch (error) {
      if (!renew(error)) handleFormError(reword(error, ssoRules), form);
    }
  });
  return (
    <FormSection title="Test">
      <p className={styles.steps}>Checks the connection with the values above. Nothing is saved.</p>
      <div>
        <Button pending={isPending} onClick={() => void run()}>
          Test connection
        </Button>
      </div>
      {tested && (
        <Notice
          tone="ok"
          actions={<Button onClick={() => startTestSignIn(tested.trial)}>Test sign-in</Button>}
        >
          Connected to {tested.discovery.issuer}. People sign in at {tested.discovery.authorizationEndpoint}.
          {!tested.discovery.scopes.includes("email") &&
            " The provider doesn’t list the scope “email”, so check that it sends email addresses."}
        </Notice>
      )}
      {result && <SignInResult form={form} result={result} />}
    </FormSection>
  );
}

/** The result of the test sign-in in the other tab, with the change it suggests. */
function SignInResult({ form, result }: { form: SsoFormState; result: TestSignInResult }) {
  const trustsEmails = useWatch({ control: form.control, name: "trustsEmails" });
  const setTrust = (isOn: boolean) => form.setValue("trustsEmails", isOn, { shouldDirty: true });
  if (result.isEmailVerifiedMissing && !trustsEmails)
    return (
      <Notice tone="warn" actions={<Button onClick={() => setTrust(true)}>Trust its email addresses</Button>}>
        This provider didn’t send email_verified for {result.email}. Nobody can sign in until it does, or
        until you trust its email addresses.
      </Notice>
    );
  if (!result.isEmailVerifiedMissing && trustsEmails)
    return (
      <Notice tone="info" actions={<Button onClick={() => setTrust(false)}>Stop trusting</Button>}>
        This provider sends email_verified, so you don’t need to trust its email addresses.
      </Notice>
    );
  return (
    <Notice tone="ok">
      {result.email} can sign in with the role {ssoRoleLabels[result.role].label}
      {result.isEmailVerifiedMissing && " once you save this form"}.
    </Notice>
  );
}
