/** The endpoints for agents. Their messages are in agent.ts. */
import * as z from "zod/mini";
import { AgentRequest, EnrollReply, EnrollRequest } from "./agent.ts";
import { extension } from "./fields.ts";
import { access, BODY_BYTES_MAX, data, endpoint } from "./endpoint.ts";

const noun = "agents";

export const enrollHost = endpoint({
  method: "POST",
  path: "/v2/enroll",
  noun,
  summary: "Enroll a host: exchange an enrollment code and public keys for a certificate and a configuration",
  access: access.agent,
  body: EnrollRequest,
  response: data(EnrollReply),
  errors: ["ERR_HOST_BLOCKED", "ERR_HOST_SIGN_IN_EXPIRED", "ERR_NEBULA_TOO_OLD", "ERR_TOO_MANY_REQUESTS"],
});

/** The response depends on the type of message; raw bytes may follow the JSON value. */
export const sendAgentMessage = endpoint({
  method: "POST",
  path: "/v1/dnclient",
  noun,
  summary: "Send a message of an enrolled agent, signed with its host's key",
  access: access.agent,
  body: AgentRequest,
  // A host's response to a command can be this large.
  bodyBytesMax: BODY_BYTES_MAX,
  response: data(z.looseObject({})),
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
  summary: "Start enrolling a device by signing in",
  access: access.agent,
  response: data(
    z.strictObject({
      pollToken: z.string(),
      loginURL: z.string(),
      /** Also shown on the sign-in page. Clients of the public protocol ignore this field. */
      verificationCode: extension(z.string()),
    }),
  ),
  errors: ["ERR_TOO_MANY_REQUESTS"],
});

export const pollEndpointAuth = endpoint({
  method: "GET",
  path: "/v1/endpoint-auth/poll",
  noun,
  summary: "Get the state of a device's sign-in",
  access: access.agent,
  query: z.object({ pollToken: z.string().check(z.maxLength(128)) }),
  response: data(
    z.strictObject({ state: z.enum(["WAITING", "STARTED", "COMPLETED"]), enrollmentCode: z.string() }),
  ),
});
