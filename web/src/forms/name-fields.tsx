import type { FieldErrors, UseFormRegisterReturn } from "react-hook-form";
import { Field, TextArea, TextInput } from "../ui/forms/field.tsx";

interface Schema {
  safeParse: (value: unknown) => { success: boolean };
}

/** The rule that a value fits the schema of the API. */
export const validateWith = (schema: Schema, message: string) => ({
  validate: (value: string) => schema.safeParse(value).success || message,
});

interface NameFieldsProps {
  name: UseFormRegisterReturn;
  description: UseFormRegisterReturn;
  errors: FieldErrors<{ name: string; description: string }>;
  /** Focuses the name. */
  isNew: boolean;
}

export function NameFields({ name, description, errors, isNew }: NameFieldsProps) {
  return (
    <>
      <Field label="Name" error={errors.name?.message}>
        <TextInput {...name} autoComplete="off" autoFocus={isNew} dir="auto" />
      </Field>
      <Field label="Description" optional error={errors.description?.message}>
        <TextArea {...description} rows={2} dir="auto" />
      </Field>
    </>
  );
}
