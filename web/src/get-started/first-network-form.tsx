import { createNetworkV2, NetworkV2Create } from "@lightkeeper/contract";
import { useForm } from "react-hook-form";
import { Link } from "react-router";
import { longNameMessage } from "../forms/length-messages.ts";
import { handleFormError, reword } from "../lib/errors.ts";
import { networkNameTaken } from "../lib/messages.ts";
import { invalidateNoun, useWrite } from "../lib/query.ts";
import { CidrPicker, cidrRule } from "../networks/cidr-picker.tsx";
import { NETWORK_ADD_PATH } from "../references/network-link.tsx";
import { Button } from "../ui/controls/button.tsx";
import { Field, TextInput } from "../ui/forms/field.tsx";
import { Form } from "../ui/forms/form.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import styles from "./get-started.module.css";

const SUGGESTED_CIDR = "100.100.0.0/22";

const nameRules = {
  validate: (name: string) => NetworkV2Create.shape.name.safeParse(name).success || longNameMessage,
};

export function FirstNetworkForm() {
  const { mutateAsync: create } = useWrite(createNetworkV2);
  const form = useForm({ defaultValues: { name: "", cidrs: [SUGGESTED_CIDR] } });
  const { errors, isSubmitting } = form.formState;

  const createOrShowErrors = form.handleSubmit(async ({ name, cidrs: [cidr = ""] }) => {
    try {
      await create({ body: { name, ...(cidr.trim() && { cidrs: [cidr.trim()] }) } });
      // The form stays busy until the page shows the checklist.
      await invalidateNoun(createNetworkV2.noun);
    } catch (error) {
      handleFormError(reword(error, [networkNameTaken, cidrRule("cidrs[0]")]), form);
    }
  });

  return (
    <Form className={styles.form} pending={isSubmitting} onSubmit={() => void createOrShowErrors()}>
      <Field label="Name" error={errors.name?.message}>
        <TextInput
          {...form.register("name", nameRules)}
          autoComplete="off"
          autoFocus
          placeholder="Network1"
        />
      </Field>
      <CidrPicker
        registration={form.register("cidrs.0")}
        value={form.watch("cidrs.0") ?? ""}
        error={errors.cidrs?.[0]?.message}
      />
      {errors.root?.message && <Notice tone="danger">{errors.root.message}</Notice>}
      <Button type="submit" variant="primary" size="large" pending={isSubmitting}>
        Create network
      </Button>
      <p className={styles.text}>
        This network has IPv4 addresses. For IPv6 or another curve, use{" "}
        <Link to={NETWORK_ADD_PATH}>Add network</Link>.
      </p>
    </Form>
  );
}
