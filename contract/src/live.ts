/** What a signed-in console and the server tell one another beside the nouns. */
import * as z from "zod/mini";
import { access, data, endpoint, raw } from "./endpoint.ts";
import { Empty } from "./fields.ts";

export const Change = z.object({
  noun: z.string(),
  id: z.optional(z.string()),
  networkID: z.optional(z.string()),
});
/** Says that something of a noun changed; never what it changed to. */
export type Change = z.output<typeof Change>;

export const streamEvents = endpoint({
  method: "GET",
  path: "/v1/events",
  noun: "events",
  summary: "Server-sent events: `change` with the noun that changed",
  access: access.session,
  answer: raw("text/event-stream"),
  errors: ["ERR_TOO_MANY_REQUESTS"],
});

export const reportClientError = endpoint({
  method: "POST",
  path: "/v1/client-errors",
  noun: "client-errors",
  summary: "Tell the operators of an error in the console",
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
  answer: data(Empty),
  errors: ["ERR_TOO_MANY_REQUESTS"],
});
