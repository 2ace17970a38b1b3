import { validateOverride } from "@lightkeeper/nebula";
import { useController } from "react-hook-form";
import { FieldDescription } from "../ui/forms/field.tsx";
import { firstErrorMessage } from "./first-error-message.ts";
import { OverridesEditor } from "./overrides-editor.tsx";
import type { TagValues } from "./tag-values.ts";

const INCOMPLETE = "Complete or remove the unfinished settings.";

interface TagOverridesProps {
  /** The name of the tag; undefined for a new one. */
  name: string | undefined;
  autoFocus: boolean;
}

/** The settings of a tag, as a field of its form. The default export is for `lazy()`. */
export default function TagOverrides({ name, autoFocus }: TagOverridesProps) {
  const { field, fieldState } = useController<TagValues, "configOverrides">({
    name: "configOverrides",
    rules: {
      validate: (overrides) =>
        overrides.every(({ key, value }) => validateOverride(key, value) === undefined) || INCOMPLETE,
    },
  });
  const { error } = fieldState;
  return (
    <>
      <OverridesEditor
        value={field.value}
        onChange={field.onChange}
        errors={field.value.map((_, index) => firstErrorMessage(errorAt(error, index)))}
        owner={{ tag: name }}
        autoFocus={autoFocus}
      />
      <FieldDescription id={undefined} error={error?.message} />
    </>
  );
}

const errorAt = (error: unknown, key: number | string): unknown =>
  typeof error === "object" && error !== null ? (error as Record<string, unknown>)[key] : undefined;
