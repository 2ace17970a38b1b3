import { createNetwork, NetworkCreate } from "@lightkeeper/contract";
import { useForm } from "react-hook-form";
import { longNameMessage } from "../forms/length-messages.ts";
import { handleFormError, reword } from "../lib/errors.ts";
import { networkNameTaken } from "../lib/messages.ts";
import { invalidateNoun, useWrite } from "../lib/query.ts";
import { CidrPicker, cidrRules } from "../networks/cidr-picker.tsx";
import { Button } from "../ui/controls/button.tsx";
import { Field, TextInput } from "../ui/forms/field.tsx";
import { Form } from "../ui/forms/form.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import styles from "./get-started.module.css";

const SUGGESTED_CIDR = "100.100.0.0/22";

const nameRules = {
  validate: (name: string) => NetworkCreate.shape.name.safeParse(name).success || longNameMessage,
};

export function FirstNetworkForm() {
  const { mutateAsync: create } = useWrite(createNetwork);
  const form = useForm({ defaultValues: { name: "", cidr: SUGGESTED_CIDR } });
  const { errors, isSubmitting } = form.formState;

  const createOrShowErrors = form.handleSubmit(async ({ name, cidr }) => {
    try {
      await create({ body: { name, ...(cidr.trim() && { cidr: cidr.trim() }) } });
      // The form stays busy until the page shows the checklist.
      await invalidateNoun(createNetwork.noun);
    } catch (error) {
      handleFormError(reword(error, [networkNameTaken, ...cidrRules]), form);
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
        registration={form.register("cidr")}
        value={form.watch("cidr")}
        error={errors.cidr?.message}
      />
      {errors.root?.message && <Notice tone="danger">{errors.root.message}</Notice>}
      <Button type="submit" variant="primary" size="large" pending={isSubmitting}>
        Create network
      </Button>
    </Form>
  );
}
