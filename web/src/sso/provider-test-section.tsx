import { type Output, testOidcProvider } from "@lightkeeper/contract";
import { useState } from "react";
import { useWatch } from "react-hook-form";
import { useDraft } from "../lib/draft.ts";
import { handleFormError, reword } from "../lib/errors.ts";
import { type TestSignInResult, rememberTestSignIn, useTestSignInResult } from "./test-sign-in-channel.ts";
import { useWrite } from "../lib/query.ts";
import { useRenewal } from "../lib/renewal.ts";
import { webAddress } from "../lib/web-address.ts";
import { Button } from "../ui/controls/button.tsx";
import { FormSection } from "../ui/pages/form-page.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { ssoRoles } from "./sso-roles.ts";
import { ssoRules } from "./sso-rules.ts";
import { type SsoFormState, toBody } from "./sso-values.ts";
import styles from "./sso.module.css";

/** In a tab of its own: the form stays as it is. */
function tryOut({ oidcRequestToken, redirectURL }: Output<typeof testOidcProvider>["trial"]): void {
  rememberTestSignIn(oidcRequestToken, redirectURL);
  window.open(webAddress(redirectURL), "_blank", "noopener");
}

/** Asks the provider who it is, with what the form holds; nothing is saved. */
export function ProviderTestSection({ form }: { form: SsoFormState }) {
  const [found, setFound] = useState<Output<typeof testOidcProvider>>();
  const { mutateAsync: test, isPending } = useWrite(testOidcProvider);
  const renew = useRenewal(useDraft(form));
  const result = useTestSignInResult(found?.trial.oidcRequestToken);

  const run = form.handleSubmit(async (values) => {
    setFound(undefined);
    try {
      setFound(await test({ body: toBody(values) }));
    } catch (error) {
      if (!renew(error)) handleFormError(reword(error, ssoRules), form);
    }
  });
  return (
    <FormSection title="Before you save">
      <p className={styles.steps}>Checks the connection with the values above. Nothing is saved.</p>
      <div>
        <Button pending={isPending} onClick={() => void run()}>
          Test the provider
        </Button>
      </div>
      {found && (
        <Notice tone="ok" actions={<Button onClick={() => tryOut(found.trial)}>Try a sign-in</Button>}>
          {found.discovery.issuer} answers. People sign in at {found.discovery.authorizationEndpoint}.
          {!found.discovery.scopes.includes("email") && " It does not say that it tells e-mail addresses."}
        </Notice>
      )}
      {result && <TrialResult form={form} result={result} />}
    </FormSection>
  );
}

/** What the trial sign-in in the other tab found, with the change that it suggests. */
function TrialResult({ form, result }: { form: SsoFormState; result: TestSignInResult }) {
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
      {result.email} can sign in with the role {ssoRoles[result.role].label}
      {result.isEmailVerifiedMissing && " once you save this form"}.
    </Notice>
  );
}
