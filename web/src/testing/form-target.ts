import type { UseFormReturn } from "react-hook-form";
import { vi } from "vitest";

/** What error handling needs of a form with these values. */
export const formTarget = (values: object = {}) => ({
  setError: vi.fn<UseFormReturn["setError"]>(),
  getValues: (() => values) as UseFormReturn["getValues"],
});
