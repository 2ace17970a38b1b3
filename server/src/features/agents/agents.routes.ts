/** The messages of agents. Every error response contains errors: public clients fail without one. */
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
import type { Schema } from "@lightkeeper/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../../infrastructure/context/context.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { parse } from "../../infrastructure/http/parse.ts";
import { runAs } from "../../infrastructure/scheduling/work-class.ts";
import type { Later } from "../../infrastructure/http/responses.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import type { AgentCall, ControlPlane } from "./control-plane.ts";
import { startReauthentication } from "./endpoint-auth.service.ts";
import type { FindCallingHost } from "./calling-hosts.service.ts";
import {
  type Authenticated,
  claimsUpdate,
  createAuthentication,
  decodeJson,
  isUpdate,
} from "./envelope.service.ts";
import { storeCommandReply } from "../../nouns/host-commands/host-commands.service.ts";
import { streamCommandReply } from "../../nouns/host-commands/log-streams.service.ts";
import { chunksUntil, type JsonBody, readRequestBody } from "./json-body.ts";
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
  const updates = createUpdatePriority(() => control.countHostsToCheck());
  routes.receive(contract.sendAgentMessage, async ({ now }, request, reply) => {
    const { value, rest } = await readRequestBody(contract.sendAgentMessage, request);
    const body = { value, rest: chunksUntil(shutdown, rest) };
    const envelope = parse(AgentRequest, value);
    const agentRequest = { ...envelope, bytes: Buffer.from(envelope.message, "base64") };
    const respond = ({ host, message }: Authenticated) => {
      request.actorID = host.id;
      const client = readUserAgent(request.headers["user-agent"]);
      presence.recordCall(host, client, now);
      const call = { host, client, now };
      return runAs(host.organizationID, () =>
        handleMessage({ ctx, control }, { call, message, body, request, reply }),
      );
    };
    const { hostID } = agentRequest;
    const isClaimed = claimsUpdate(agentRequest);
    // An unverified claim only skips the wait: to make others wait, it needs a signature, or a host that was told to fetch.
    if (isClaimed && control.isFetchExpected(hostID))
      return updates.run(hostID, async () => respond(await authenticate(agentRequest, now)));
    if (!isClaimed) await updates.wait();
    const authenticated = await authenticate(agentRequest, now);
    return isUpdate(authenticated.message)
      ? updates.run(hostID, () => respond(authenticated))
      : respond(authenticated);
  });
}

interface ReceivedMessage {
  call: AgentCall;
  message: { type: string; value: string | null };
  body: JsonBody;
  request: FastifyRequest;
  reply: FastifyReply;
}

type Reply = Record<string, unknown>;

const isMessageType = (type: string): type is AgentMessageType =>
  (agentMessageTypes as readonly string[]).includes(type);

interface Plane {
  ctx: Context;
  control: ControlPlane;
}

const valueAs = <S extends Schema>(schema: S, { message: { value } }: ReceivedMessage) =>
  parse(schema, value === null ? {} : decodeJson(value, "message.value"));

type Handler = (plane: Plane, received: ReceivedMessage) => Promise<Reply | Later<Reply>>;

const handlers: Record<AgentMessageType, Handler> = {
  CheckForUpdate: async ({ control }, { call }) => ({ updateAvailable: await control.hasUpdate(call) }),
  LongPollWait: async ({ control }, received) => {
    const { call, reply } = received;
    const request = valueAs(LongPollRequest, received);
    if (request.status) await control.report(call, request.status);
    const wait = control.wait(call, request, reply.raw);
    return (send, fail) => runAs(call.host.organizationID, () => wait(send, fail));
  },
  DoUpdate: async ({ control }, received) => control.renew(received.call, valueAs(UpdateRequest, received)),
  DoConfigUpdate: async ({ control }, received) =>
    control.configure(received.call, valueAs(UpdateRequest, received)),
  CommandResponse: async ({ ctx }, received) =>
    receiveCommandReply(ctx, received, valueAs(CommandResponse, received)),
  Reauthenticate: async ({ ctx, control }, { call }) =>
    control.sign(call, { loginURL: await startReauthentication(ctx, call.host, call.now) }),
  ReportStatus: async ({ control }, received) => {
    await control.report(received.call, valueAs(ReportStatus, received));
    return {};
  },
};

function handleMessage(plane: Plane, received: ReceivedMessage): Promise<Reply | Later<Reply>> {
  const { type } = received.message;
  if (!isMessageType(type))
    throw new ApiError("ERR_INVALID_VALUE", { path: "message.type", message: "is unknown" });
  return handlers[type](plane, received);
}

async function receiveCommandReply(
  ctx: Context,
  { call: { host }, body, request, reply }: ReceivedMessage,
  { responseToken, response }: { responseToken: string; response?: unknown },
): Promise<Reply> {
  const command = { token: responseToken, hostID: host.id, organizationID: host.organizationID };
  if (response !== null && response !== undefined) await storeCommandReply(ctx, command, response);
  else {
    await streamCommandReply(ctx, command, body.rest);
    // Nothing reads the rest of the body.
    if (!request.raw.complete) void reply.header("connection", "close");
  }
  return {};
}
