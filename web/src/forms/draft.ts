import { useCallback, useEffect } from "react";
import type { FieldValues, UseFormReturn } from "react-hook-form";
import { useLocation } from "react-router";
import { authState } from "../lib/tokens.ts";

/**
 * Restores typed values after a second-factor prompt replaced the page. Returns a function that saves them, for callers
 * that navigate to the prompt themselves. A page and a dialog over it share a path, so `owner` separates their drafts.
 */
export function useDraft<Values extends FieldValues>(
  form: UseFormReturn<Values>,
  owner: "page" | "dialog" = "page",
): () => void {
  const key = `draft ${owner} ${useLocation().pathname}`;
  const { isDirty } = form.formState;
  useEffect(() => {
    const draft = sessionStorage.getItem(key);
    if (draft === null) return;
    sessionStorage.removeItem(key);
    form.reset(JSON.parse(draft) as Values, { keepDefaultValues: true });
  }, [form, key]);
  const saveDraft = useCallback(
    () => sessionStorage.setItem(key, JSON.stringify(form.getValues())),
    [form, key],
  );
  useEffect(
    () => () => {
      if (isDirty && authState() === "mfaRequired") saveDraft();
    },
    [isDirty, saveDraft],
  );
  return saveDraft;
}
