import * as z from "zod/mini";
import { access, data, endpoint } from "./endpoint.ts";
import { extension } from "./fields.ts";

const byPlatform = z.record(z.string(), z.url());

/** The shape of the public API; contains only what this server has built. */
export const Downloads = z.strictObject({
  /** Version or `latest`, to platform, to URL. */
  dnclient: z.record(z.string(), byPlatform),
  mobile: z.strictObject({ android: z.optional(z.url()), ios: z.optional(z.url()) }),
  container: z.strictObject({ docker: z.optional(z.string()) }),
  versionInfo: z.strictObject({
    dnclient: z.record(z.string(), z.strictObject({ latest: z.boolean(), releaseDate: z.string() })),
    /** Missing if there is none. */
    latest: z.strictObject({ dnclient: z.optional(z.string()), mobile: z.optional(z.string()) }),
  }),
  /** URL to SHA-256 in hex. */
  checksums: extension(z.record(z.string(), z.string())),
  /** Present while the executables are being built, or if that failed. */
  build: extension(
    z.optional(z.strictObject({ state: z.enum(["building", "failed"]), reason: z.optional(z.string()) })),
  ),
});
export type Downloads = z.output<typeof Downloads>;

export const getDownloads = endpoint({
  extension: false,
  method: "GET",
  path: "/v1/downloads",
  noun: "downloads",
  summary: "List downloads of the agent",
  access: access.public,
  response: data(Downloads),
});
