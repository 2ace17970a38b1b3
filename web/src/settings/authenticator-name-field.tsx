import { NAME_LENGTH_MAX } from "@lightkeeper/contract/limits";
import type { UseFormReturn } from "react-hook-form";
import { nameMessage } from "../forms/length-messages.ts";
import { Field, TextInput } from "../ui/forms/field.tsx";

const rules = {
  validate: (name: string) =>
    (name.trim().length > 0 && name.trim().length <= NAME_LENGTH_MAX) || nameMessage,
};

export function AuthenticatorNameField({ form }: { form: UseFormReturn<{ name: string }> }) {
  return (
    <Field label="Name" error={form.formState.errors.name?.message}>
      <TextInput
        {...form.register("name", rules)}
        autoComplete="off"
        autoFocus
        dir="auto"
        placeholder="Phone"
      />
    </Field>
  );
}
