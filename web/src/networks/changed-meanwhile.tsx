import { useEffect } from "react";
import type { UseFormReturn } from "react-hook-form";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { areSame, type NetworkValues } from "./network-values.ts";

interface ChangedMeanwhileProps {
  form: UseFormReturn<NetworkValues>;
  /** As last heard from the server. */
  latest: NetworkValues;
}

/** Someone else has saved: an untouched form follows, one with typing in it only says so. */
export function ChangedMeanwhile({ form, latest }: ChangedMeanwhileProps) {
  const { defaultValues = {}, isDirty, isSubmitting } = form.formState;
  const isBehind = !areSame(latest, defaultValues);
  const canFollow = isBehind && (!isDirty || areSame(latest, form.getValues()));
  useEffect(() => {
    if (canFollow) form.reset(latest);
  });
  if (!isBehind || canFollow || isSubmitting) return null;
  return (
    <Notice
      tone="warn"
      actions={
        <Button size="small" onClick={() => form.reset(latest)}>
          Load the new values
        </Button>
      }
    >
      This network was changed meanwhile. Saving replaces that change with what is here.
    </Notice>
  );
}
