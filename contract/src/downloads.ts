import * as z from "zod/mini";
import { access, data, endpoint } from "./endpoint.ts";
import { extension } from "./fields.ts";

const byPlatform = z.record(z.string(), z.url());

/** The public shape; only what has been built is in it. */
export const Downloads = z.strictObject({
  /** By version, and under `latest`: platform to address. */
  dnclient: z.record(z.string(), byPlatform),
  mobile: z.strictObject({ android: z.optional(z.url()), ios: z.optional(z.url()) }),
  container: z.strictObject({ docker: z.optional(z.string()) }),
  versionInfo: z.strictObject({
    dnclient: z.record(z.string(), z.strictObject({ latest: z.boolean(), releaseDate: z.string() })),
    /** Absent where there is none. */
    latest: z.strictObject({ dnclient: z.optional(z.string()), mobile: z.optional(z.string()) }),
  }),
  /** Address to SHA-256 in hexadecimal. */
  checksums: extension(z.record(z.string(), z.string())),
});
export type Downloads = z.output<typeof Downloads>;

export const getDownloads = endpoint({
  extension: false,
  method: "GET",
  path: "/v1/downloads",
  noun: "downloads",
  summary: "Where to get the agent",
  access: access.public,
  answer: data(Downloads),
});
