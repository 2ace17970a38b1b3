import * as z from "zod/mini";
import { access, data, endpoint } from "../endpoint.ts";

export const TARGET_MESSAGE = "must be an IP address in the network";

export const logLevels = ["panic", "fatal", "error", "warning", "info", "debug"] as const;

/** Only the characters are validated here; the server validates the address. */
const target = z.strictObject({
  target: z.string().check(z.regex(/^[\da-f.:]{2,45}$/i, TARGET_MESSAGE)),
});
const durationSeconds = z
  .int("must be between 0 and 600")
  .check(z.minimum(0, "must be between 0 and 600"), z.maximum(600, "must be between 0 and 600"));

export const HostCommand = z.discriminatedUnion("command", [
  z.strictObject({
    command: z.literal("StreamLogs"),
    args: z.strictObject({ durationSeconds, level: z.enum(logLevels) }),
  }),
  z.strictObject({
    command: z.enum(["CreateTunnel", "PrintTunnel", "PrintCert", "QueryLighthouse"]),
    args: target,
  }),
  z.strictObject({ command: z.literal("DebugStack"), args: z.optional(z.strictObject({})) }),
]);
export type HostCommand = z.output<typeof HostCommand>;

export const runHostCommand = endpoint({
  method: "POST",
  path: "/v1/hosts/{hostID}/command",
  noun: "hosts",
  summary: "Run a debug command on a host",
  access: access.scope("hosts:debug"),
  body: HostCommand,
  /** The host's response, as JSON. */
  response: data(z.unknown()),
  errors: ["ERR_HOST_NOT_ENROLLED", "ERR_HOST_BLOCKED", "ERR_HOST_OFFLINE", "ERR_TOO_MANY_REQUESTS"],
});
