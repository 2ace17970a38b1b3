/** The calls of agents. What travels in them is in agent.ts. */
import * as z from "zod/mini";
import { AgentRequest, EnrollReply, EnrollRequest } from "./agent.ts";
import { extension } from "./fields.ts";
import { access, BODY_BYTES_MAX, data, endpoint } from "./endpoint.ts";

const noun = "agents";

export const enrollHost = endpoint({
  method: "POST",
  path: "/v2/enroll",
  noun,
  summary: "Trade an enrollment code and public keys for a certificate and a configuration",
  access: access.agent,
  body: EnrollRequest,
  answer: data(EnrollReply),
  errors: ["ERR_HOST_BLOCKED", "ERR_HOST_SIGN_IN_EXPIRED", "ERR_TOO_MANY_REQUESTS"],
});

/** What comes back depends on the message; raw bytes may follow the JSON value. */
export const sendAgentMessage = endpoint({
  method: "POST",
  path: "/v1/dnclient",
  noun,
  summary: "Everything an enrolled agent says, signed by its host's key",
  access: access.agent,
  body: AgentRequest,
  // A host's reply to a command can use all of it.
  bodyBytesMax: BODY_BYTES_MAX,
  answer: data(z.looseObject({})),
  errors: [
    "ERR_UNAUTHORIZED",
    "ERR_OIDC_NOT_CONFIGURED",
    "ERR_HOST_SIGN_IN_EXPIRED",
    "ERR_TOO_MANY_REQUESTS",
  ],
});

export const startEndpointAuth = endpoint({
  method: "POST",
  path: "/v1/endpoint-auth/preauth",
  noun,
  summary: "Begin to enroll a device by signing in",
  access: access.agent,
  answer: data(
    z.strictObject({
      pollToken: z.string(),
      loginURL: z.string(),
      /** Beyond the public protocol, whose clients ignore it: the sign-in page shows the same code. */
      verificationCode: extension(z.string()),
    }),
  ),
  errors: ["ERR_TOO_MANY_REQUESTS"],
});

export const pollEndpointAuth = endpoint({
  method: "GET",
  path: "/v1/endpoint-auth/poll",
  noun,
  summary: "How far the sign-in has come",
  access: access.agent,
  query: z.object({ pollToken: z.string().check(z.maxLength(128)) }),
  answer: data(
    z.strictObject({ state: z.enum(["WAITING", "STARTED", "COMPLETED"]), enrollmentCode: z.string() }),
  ),
});
