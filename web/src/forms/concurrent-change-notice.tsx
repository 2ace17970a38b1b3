import { useEffect } from "react";
import type { FieldValues, UseFormReturn } from "react-hook-form";
import { Button } from "../ui/controls/button.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { areSame } from "../lib/same-values.ts";

interface ConcurrentChangeNoticeProps<Values extends FieldValues> {
  form: UseFormReturn<Values>;
  /** The values as last loaded from the server. */
  latest: Values;
  /** What the form is about: "network". */
  noun: string;
}

/** When someone else saves: a clean form takes the new values, and a dirty one lets the person choose. */
export function ConcurrentChangeNotice<Values extends FieldValues>({
  form,
  latest,
  noun,
}: ConcurrentChangeNoticeProps<Values>) {
  const { defaultValues, isDirty, isSubmitting } = form.formState;
  const isBehind = !areSame(latest, defaultValues);
  const canFollow = isBehind && !isSubmitting && (!isDirty || areSame(latest, form.getValues()));
  useEffect(() => {
    if (canFollow) form.reset(latest);
  });
  if (!isBehind || canFollow || isSubmitting) return null;
  return (
    <Notice
      tone="warn"
      actions={
        <>
          <Button size="small" onClick={() => form.reset(latest)}>
            Load new values
          </Button>
          <Button size="small" onClick={() => form.reset(latest, { keepValues: true, keepDirty: true })}>
            Keep mine
          </Button>
        </>
      }
    >
      This {noun} was changed by someone else. Saving overwrites that change.
    </Notice>
  );
}
