import { useEffect } from "react";
import type { UseFormReturn } from "react-hook-form";
import { authState } from "../lib/tokens.ts";
import type { NetworkValues } from "./network-values.ts";

const keyHere = () => `draft ${location.pathname}`;

/** A second factor that expires takes the page away: what was typed is there again after it was given. */
export function useDraft(form: UseFormReturn<NetworkValues>): void {
  const { isDirty } = form.formState;
  useEffect(() => {
    const kept = sessionStorage.getItem(keyHere());
    if (kept === null) return;
    sessionStorage.removeItem(keyHere());
    form.reset(JSON.parse(kept) as NetworkValues, { keepDefaultValues: true });
  }, [form]);
  useEffect(() => {
    const key = keyHere();
    return () => {
      if (isDirty && authState() === "mfaRequired")
        sessionStorage.setItem(key, JSON.stringify(form.getValues()));
    };
  }, [form, isDirty]);
}
