import type { UseFormReturn } from "react-hook-form";
import { Field, TextInput } from "../ui/forms/field.tsx";

const LENGTH_MAX = 50;
const message = `Enter a name (up to ${LENGTH_MAX} characters).`;

const rules = {
  validate: (name: string) => (name.trim().length > 0 && name.trim().length <= LENGTH_MAX) || message,
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
