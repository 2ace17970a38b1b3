import * as z from "zod/mini";
import { access, data, endpoint } from "./endpoint.ts";
import { Empty, multilineText, text } from "./fields.ts";
import { MESSAGE_LENGTH_MAX, SUBJECT_LENGTH_MAX } from "./limits.ts";

export const SupportRequest = z.strictObject({
  subject: text(1, SUBJECT_LENGTH_MAX),
  message: multilineText(1, MESSAGE_LENGTH_MAX),
});

export const contactSupport = endpoint({
  method: "POST",
  path: "/v1/support",
  noun: "support",
  summary: "Send a message to support",
  access: access.own,
  body: SupportRequest,
  response: data(Empty),
  errors: ["ERR_TOO_MANY_REQUESTS"],
});
