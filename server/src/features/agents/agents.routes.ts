/** The agents' side of the server. Every refusal carries its errors: a client that finds none breaks. */
import type { Readable } from "node:stream";
import * as contract from "@lightkeeper/contract";
import {
  type AgentMessageType,
  agentMessageTypes,
  AgentRequest,
  CommandResponse,
  LongPollRequest,
  ReportStatus,
  UpdateRequest,
} from "@lightkeeper/contract/agent";
import { bodyBytesMaxOf, type Endpoint, type Schema } from "@lightkeeper/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../../infrastructure/context/context.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { parse } from "../../infrastructure/http/parse.ts";
import { runAs } from "../../infrastructure/scheduling/work-class.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import type { AgentCall, ControlPlane } from "./control-plane.ts";
import { startReauthentication } from "./endpoint-auth.service.ts";
import type { FindCallingHost } from "./calling-hosts.service.ts";
import {
  type Authenticated,
  claimsUpdate,
  createAuthentication,
  decoded,
  isUpdate,
} from "./envelope.service.ts";
import { answerCommand, streamAnswer } from "./host-commands.service.ts";
import { chunksUntil, type JsonBody, readJsonBody } from "./json-body.ts";
import type { Presence } from "./presence.service.ts";
import { createUpdatePriority } from "./update-priority.ts";
import { readUserAgent } from "./user-agent.ts";

interface Parts {
  control: ControlPlane;
  presence: Presence;
  findHost: FindCallingHost;
  shutdown: AbortSignal;
}

export function serveAgents(
  routes: Routes,
  ctx: Context,
  { control, presence, findHost, shutdown }: Parts,
): void {
  const authenticate = createAuthentication(ctx, findHost);
  const updates = createUpdatePriority();
  routes.receive(contract.enrollHost, async ({ now, ip }, request) => {
    const { value } = await readBody(contract.enrollHost, request);
    const body = parse(contract.enrollHost.body, value);
    return control.enroll(body, { client: readUserAgent(request.headers["user-agent"]), now, ip });
  });

  routes.receive(contract.sendAgentMessage, async ({ now }, request, reply) => {
    const { value, rest } = await readBody(contract.sendAgentMessage, request);
    const body = { value, rest: chunksUntil(shutdown, rest) };
    const sent = parse(AgentRequest, value);
    const respond = ({ host, message }: Authenticated) => {
      request.actorID = host.id;
      const client = readUserAgent(request.headers["user-agent"]);
      presence.heard(host, client, now);
      const call = { host, client, now };
      return runAs(host.organizationID, () => answer(ctx, control, { call, message, body, request, reply }));
    };
    // The claim only avoids the wait: priority takes a signature.
    if (!claimsUpdate(sent)) await updates.wait();
    const authenticated = await authenticate(sent, now);
    return isUpdate(authenticated.message)
      ? updates.run(authenticated.host.id, () => respond(authenticated))
      : respond(authenticated);
  });
}

const readBody = (endpoint: Endpoint, { body }: FastifyRequest): Promise<JsonBody> =>
  readJsonBody(body as Readable | undefined, bodyBytesMaxOf(endpoint));

interface Received {
  call: AgentCall;
  message: { type: string; value: string | null };
  body: JsonBody;
  request: FastifyRequest;
  reply: FastifyReply;
}

type Reply = Record<string, unknown>;

const isKnown = (type: string): type is AgentMessageType =>
  (agentMessageTypes as readonly string[]).includes(type);

function answer(ctx: Context, control: ControlPlane, received: Received): Promise<Reply> {
  const { call, message, reply } = received;
  const valueAs = <S extends Schema>(schema: S) =>
    parse(schema, message.value === null ? {} : decoded(message.value, "message.value"));
  if (!isKnown(message.type))
    throw new ApiError("ERR_INVALID_VALUE", { path: "message.type", message: "is not known here" });
  const answers: Record<AgentMessageType, () => Promise<Reply>> = {
    CheckForUpdate: async () => ({ updateAvailable: await control.hasUpdate(call) }),
    LongPollWait: async () =>
      control.wait(call, valueAs(LongPollRequest).supportedActions ?? [], goneSignal(reply)),
    DoUpdate: async () => control.renew(call, valueAs(UpdateRequest)),
    DoConfigUpdate: async () => control.configure(call, valueAs(UpdateRequest)),
    CommandResponse: async () => takeAnswer(ctx, received, valueAs(CommandResponse)),
    Reauthenticate: async () =>
      control.sign(call, { loginURL: await startReauthentication(ctx, call.host, call.now) }),
    ReportStatus: async () => {
      await control.report(call, valueAs(ReportStatus));
      return {};
    },
  };
  return answers[message.type]();
}

/** Tells when whoever asked has hung up. */
function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once("close", () => gone.abort("gone"));
  return gone.signal;
}

async function takeAnswer(
  ctx: Context,
  { call: { host }, body, request, reply }: Received,
  { responseToken, response }: { responseToken: string; response?: unknown },
): Promise<Reply> {
  const said = { token: responseToken, hostID: host.id, organizationID: host.organizationID };
  if (response !== null && response !== undefined) await answerCommand(ctx, said, response);
  else {
    await streamAnswer(ctx, said, body.rest);
    // Nobody listens to what may still come.
    if (!request.raw.complete) void reply.header("connection", "close");
  }
  return {};
}
