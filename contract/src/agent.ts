/**
 * What an agent and the server say to one another: the public client library's protocol. Unlike everywhere
 * else unknown keys are let pass, bytes are base64 and may be null, and the answers that matter are signed.
 */
import * as z from "zod/mini";
import { instant } from "./fields.ts";

const BYTES_MAX = 64 * 1024;
/** A request as a whole has 1 MiB at most, and what a command answers may use it up. */
const REQUEST_BYTES_MAX = 1024 * 1024;

/** Standard base64; null where there is nothing. */
const bytes = z.base64().check(z.maxLength(BYTES_MAX));
const requestBytes = z.base64().check(z.maxLength(REQUEST_BYTES_MAX));
const maybeBytes = z._default(z.optional(z.nullable(bytes)), null);
/** A configuration lists every blocked certificate of its network, so answers may be far longer than requests. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
const answerBytes = z.base64().check(z.maxLength(ANSWER_BYTES_MAX));
const moment = z.string().check(z.maxLength(64));

export const EnrollRequest = z.object({
  code: z.string().check(z.maxLength(4096)),
  /** X25519, PEM. */
  dhPubkey: maybeBytes,
  /** Ed25519, PEM. */
  edPubkey: maybeBytes,
  nebulaPubkeyP256: maybeBytes,
  hostPubkeyP256: maybeBytes,
  timestamp: z.optional(moment),
});
export type EnrollRequest = z.output<typeof EnrollRequest>;

/** What an agent is told about itself, at enrollment and with every update. */
const identity = {
  /** YAML; holds no private key. */
  config: answerBytes,
  counter: z.number(),
  /** PEM blocks, one after the other, and nothing else. */
  trustedKeys: bytes,
  organization: z.object({ id: z.string(), name: z.string() }),
  network: z.object({
    id: z.string(),
    name: z.string(),
    curve: z.enum(["25519", "P256"]),
    cidr: z.string(),
    cidrs: z.array(z.string()),
  }),
  host: z.object({
    id: z.string(),
    name: z.string(),
    ipAddress: z.string(),
    ipAddresses: z.array(z.string()),
  }),
  endpointOIDC: z.nullable(z.object({ email: z.string(), expiresAt: z.nullable(z.string()) })),
};

export const EnrollReply = z.object({ hostID: z.string(), ...identity });
export type EnrollReply = z.output<typeof EnrollReply>;

/** The envelope. Signed is the text of `message` itself, the base64, with the host's signing key. */
export const AgentRequest = z.object({
  version: z.literal(1),
  hostID: z.string().check(z.maxLength(64)),
  counter: z.int().check(z.minimum(0)),
  message: requestBytes,
  signature: bytes,
});
export type AgentRequest = z.output<typeof AgentRequest>;

/** What `message` holds. */
export const AgentMessage = z.object({
  type: z.string().check(z.maxLength(64)),
  value: z._default(z.optional(z.nullable(requestBytes)), null),
  timestamp: moment,
});
export type AgentMessage = z.output<typeof AgentMessage>;

/** The answer to DoUpdate, DoConfigUpdate and Reauthenticate. Signed are the decoded bytes of `message`. */
export const SignedReply = z.object({ version: z.literal(1), message: answerBytes, signature: bytes });
export type SignedReply = z.output<typeof SignedReply>;

export const CheckForUpdateReply = z.object({ updateAvailable: z.boolean() });

export const LongPollRequest = z.object({
  supportedActions: z.nullish(z.array(z.string().check(z.maxLength(64))).check(z.maxLength(50))),
});

export const AgentAction = z.object({
  command: z.string(),
  args: z.optional(z.record(z.string(), z.unknown())),
});
export type AgentAction = z.output<typeof AgentAction>;
export const LongPollReply = z.object({ action: AgentAction, responseToken: z.string() });
export type LongPollReply = z.output<typeof LongPollReply>;

/** New keys of the curve in use; those of the other are null. */
export const UpdateRequest = z.object({
  edPubkeyPEM: maybeBytes,
  dhPubkeyPEM: maybeBytes,
  p256HostPubkeyPEM: maybeBytes,
  p256NebulaPubkeyPEM: maybeBytes,
  nonce: bytes,
});
export type UpdateRequest = z.output<typeof UpdateRequest>;

export const UpdateReply = z.object({ ...identity, nonce: bytes });
export type UpdateReply = z.output<typeof UpdateReply>;

export const CommandResponse = z.object({
  responseToken: z.string().check(z.maxLength(128)),
  response: z.optional(z.unknown()),
});

/** Ours alone, after each apply and every five minutes: foreign clients never send it. */
export const ReportStatus = z.object({
  /** SHA-256 of the configuration as it was sent, hex. */
  configHash: z.string().check(z.maxLength(64)),
  nebulaVersion: z.nullable(z.string().check(z.maxLength(64))),
  appliedAt: instant(),
  error: z.optional(z.nullable(z.string().check(z.maxLength(4096)))),
  tunnels: z.optional(z.array(z.object({ vpnIp: z.string().check(z.maxLength(64)) }))),
});
export type ReportStatus = z.output<typeof ReportStatus>;

export const agentMessageTypes = [
  "CheckForUpdate",
  "LongPollWait",
  "DoUpdate",
  "DoConfigUpdate",
  "CommandResponse",
  "Reauthenticate",
  "ReportStatus",
] as const;
export type AgentMessageType = (typeof agentMessageTypes)[number];

export const STATUS_INTERVAL_SECONDS = 300;
