import type { UseFormReturn } from "react-hook-form";
import { vi } from "vitest";

/** The parts of a form that error handling uses. */
export const formTarget = (values: object = {}) => ({
  setError: vi.fn<UseFormReturn["setError"]>(),
  getValues: (() => values) as UseFormReturn["getValues"],
});
