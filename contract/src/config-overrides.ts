import * as z from "zod/mini";

const OVERRIDES_MAX = 100;

/** Which keys there are and what they take is Nebula's business; here only the shape. */
export const ConfigOverride = z.strictObject({ key: z.string().check(z.maxLength(100)), value: z.unknown() });
export const ConfigOverrides = z.array(ConfigOverride).check(z.maxLength(OVERRIDES_MAX));
export type ConfigOverrides = z.output<typeof ConfigOverrides>;
