/** Endpoints for the running console: events from the server and error reports to it. */
import * as z from "zod/mini";
import { access, data, endpoint, raw } from "./endpoint.ts";
import { Empty } from "./fields.ts";

export const Change = z.object({
  noun: z.string(),
  id: z.optional(z.string()),
  networkID: z.optional(z.string()),
});
/** Names what changed, without the new values. */
export type Change = z.output<typeof Change>;

export const streamEvents = endpoint({
  method: "GET",
  path: "/v1/events",
  noun: "events",
  summary: "Stream server-sent events; `change` names what changed",
  access: access.session,
  response: raw("text/event-stream"),
  errors: ["ERR_TOO_MANY_REQUESTS"],
});

export const reportClientError = endpoint({
  method: "POST",
  path: "/v1/client-errors",
  noun: "client-errors",
  summary: "Report an error in the console to the server's operators",
  access: access.public,
  body: z.strictObject({
    message: z.string().check(z.maxLength(2000)),
    stack: z.optional(z.string().check(z.maxLength(8000))),
    path: z.optional(z.string().check(z.maxLength(500))),
    version: z.optional(z.string().check(z.maxLength(100))),
    requestID: z.optional(z.string().check(z.maxLength(100))),
    errors: z.optional(
      z
        .array(
          z.object({ code: z.string().check(z.maxLength(100)), path: z.optional(z.nullable(z.string())) }),
        )
        .check(z.maxLength(50)),
    ),
  }),
  response: data(Empty),
  errors: ["ERR_TOO_MANY_REQUESTS"],
});
