import { contactSupport } from "@lightkeeper/contract";
import { MESSAGE_LENGTH_MAX, SUBJECT_LENGTH_MAX } from "@lightkeeper/contract/limits";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { config } from "../lib/config.ts";
import { useCurrentUser } from "../lib/current-user.ts";
import { EditForm } from "../forms/edit-form.tsx";
import { formatNumber } from "../lib/format.ts";
import { tooManyRequests } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";
import { Button, LinkButton } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { EmptyState } from "../ui/feedback/empty-state.tsx";
import { Field, TextArea, TextInput } from "../ui/forms/field.tsx";
import { Cards, FormPage } from "../ui/pages/form-page.tsx";
import { MailIcon } from "../ui/base/icons.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { ReadOnly } from "../ui/base/read-only.ts";
import { AccountContext } from "./account-context.tsx";
import styles from "./support.module.css";

interface ContactValues {
  subject: string;
  message: string;
}

const requireText = (max: number, message: string) => ({
  validate: (text: string) => (text.trim().length > 0 && text.trim().length <= max) || message,
});
const subjectRules = requireText(
  SUBJECT_LENGTH_MAX,
  `Enter a subject (up to ${SUBJECT_LENGTH_MAX} characters).`,
);
const messageRules = requireText(
  MESSAGE_LENGTH_MAX,
  `Enter a message (up to ${formatNumber(MESSAGE_LENGTH_MAX)} characters).`,
);

/** Auditors can contact support, too. */
export function ContactPage() {
  usePageTitle("Contact us");
  const [isSent, setSent] = useState(false);
  return (
    <ReadOnly value={false}>
      <FormPage>
        <PageHeader title="Contact us" lead="Ask a question, report a problem or suggest an improvement." />
        {isSent ? <Sent onAgain={() => setSent(false)} /> : <ContactForm onSent={() => setSent(true)} />}
      </FormPage>
    </ReadOnly>
  );
}

function ContactForm({ onSent }: { onSent: () => void }) {
  const form = useForm<ContactValues>({ defaultValues: { subject: "", message: "" } });
  const { errors } = form.formState;
  const { mutateAsync: contact } = useWrite(contactSupport);

  async function send({ subject, message }: ContactValues) {
    await contact({ body: { subject: subject.trim(), message: message.trim() } });
    onSent();
  }

  return (
    <Cards>
      <Card>
        <EditForm
          form={form}
          noun="message"
          save={send}
          rules={[tooManyRequests]}
          submitLabel="Send"
          cancelTo="/"
        >
          <Field label="Subject" error={errors.subject?.message}>
            <TextInput {...form.register("subject", subjectRules)} autoFocus autoComplete="off" dir="auto" />
          </Field>
          <Field
            label="Message"
            hint="What did you do, what did you expect and what happened? If you have a request ID, include it."
            error={errors.message?.message}
          >
            <TextArea {...form.register("message", messageRules)} className={styles.message} dir="auto" />
          </Field>
        </EditForm>
      </Card>
      <AccountContext />
    </Cards>
  );
}

function Sent({ onAgain }: { onAgain: () => void }) {
  const { data: person } = useCurrentUser();
  return (
    <Card>
      <div role="status">
        <EmptyState
          icon={<MailIcon />}
          title="Message sent"
          action={
            <>
              <LinkButton to="/" variant="primary">
                Go to hosts
              </LinkButton>{" "}
              <Button onClick={onAgain}>Send another message</Button>
            </>
          }
        >
          We’ll reply from {config.supportEmail} to {person?.actor.email ?? "your email address"}.
        </EmptyState>
      </div>
    </Card>
  );
}
