import { useCallback, useEffect } from "react";
import type { FieldValues, UseFormReturn } from "react-hook-form";
import { useLocation } from "react-router";
import { authState } from "./tokens.ts";

/**
 * A second factor that expires, or has to be given again, takes the page away: what was typed is there again
 * afterwards. Answers how to keep it before leaving for the second factor on purpose. A page and a dialog over it
 * have one address and two drafts.
 */
export function useDraft<Values extends FieldValues>(form: UseFormReturn<Values>, of = "page"): () => void {
  const key = `draft ${of} ${useLocation().pathname}`;
  const { isDirty } = form.formState;
  useEffect(() => {
    const kept = sessionStorage.getItem(key);
    if (kept === null) return;
    sessionStorage.removeItem(key);
    form.reset(JSON.parse(kept) as Values, { keepDefaultValues: true });
  }, [form, key]);
  const keep = useCallback(() => sessionStorage.setItem(key, JSON.stringify(form.getValues())), [form, key]);
  useEffect(
    () => () => {
      if (isDirty && authState() === "mfaRequired") keep();
    },
    [isDirty, keep],
  );
  return keep;
}
