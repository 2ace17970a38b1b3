import { addDomain, type OrganizationDomain } from "@lightkeeper/contract";
import { DOMAINS_MAX } from "@lightkeeper/contract/limits";
import { useQuery } from "@tanstack/react-query";
import { useForm } from "react-hook-form";
import { useDraft } from "../forms/draft.ts";
import { handleFormError, reword } from "../lib/errors.ts";
import { failureOf } from "../lib/list-page.ts";
import type { Rule } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { useRenewal } from "../lib/renewal.ts";
import { Button } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { EmptyState } from "../ui/feedback/empty-state.tsx";
import { ErrorState } from "../ui/feedback/error-state.tsx";
import { Field, TextInput } from "../ui/forms/field.tsx";
import { Form } from "../ui/forms/form.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { Spinner } from "../ui/feedback/spinner.tsx";
import { DomainRow } from "./domain-row.tsx";
import styles from "./domains.module.css";
import { domainsQuery } from "./sso.queries.ts";

const LEAD =
  "People who enroll a device can find your organization by a verified email domain. A domain can belong to only one organization. Your organization ID always works.";

export function DomainsCard({ canEdit }: { canEdit: boolean }) {
  const { data, error, isFetching, refetch } = useQuery(domainsQuery);
  return (
    <Card title="Domains" padded={false}>
      <p className={styles.lead}>{LEAD}</p>
      {!data && !error && <Spinner delayed />}
      {!data && error && (
        <ErrorState {...failureOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
      )}
      {data && <Domains domains={data} canEdit={canEdit} />}
      {canEdit && <AddDomain />}
    </Card>
  );
}

function Domains({ domains, canEdit }: { domains: OrganizationDomain[]; canEdit: boolean }) {
  if (domains.length === 0)
    return (
      <EmptyState title="No domains">
        Without a verified domain, people enter your organization ID to enroll a device.
      </EmptyState>
    );
  return (
    <ul className={styles.list}>
      {domains.map((domain) => (
        <DomainRow key={domain.domain} domain={domain} canEdit={canEdit} />
      ))}
    </ul>
  );
}

const rules: readonly Rule[] = [
  { path: "domain", codes: ["ERR_INVALID_VALUE"], message: "Enter a domain such as example.com." },
  { path: "domain", codes: ["ERR_DUPLICATE_VALUE"], message: "This domain is already listed." },
  {
    codes: ["ERR_LIMIT_EXCEEDED"],
    message: ({ extra }) => `You can add up to ${extra?.limit ?? DOMAINS_MAX} domains. Remove one first.`,
  },
];

function AddDomain() {
  const form = useForm({ defaultValues: { domain: "" } });
  const { mutateAsync: add } = useWrite(addDomain);
  const renew = useRenewal(useDraft(form));
  const { errors, isSubmitting } = form.formState;
  const submit = form.handleSubmit(async ({ domain }) => {
    try {
      await add({ body: { domain } });
      form.reset();
    } catch (error) {
      if (!renew(error)) handleFormError(reword(error, rules), form);
    }
  });
  return (
    <Form className={styles.add} pending={isSubmitting} onSubmit={() => void submit()}>
      <Field label="New domain" error={errors.domain?.message}>
        <TextInput
          {...form.register("domain", { required: "Enter a domain such as example.com." })}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          placeholder="example.com"
        />
      </Field>
      {errors.root?.message && <Notice tone="danger">{errors.root.message}</Notice>}
      <div>
        <Button type="submit" pending={isSubmitting}>
          Add domain
        </Button>
      </div>
    </Form>
  );
}
