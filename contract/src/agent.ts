/**
 * The messages between agents and the server, in the protocol of the public client library. Unlike in the rest of the
 * API, unknown keys are ignored, bytes are base64 and may be null, and updates are signed.
 */
import * as z from "zod/mini";
import { instant } from "./fields.ts";

const BYTES_MAX = 64 * 1024;
/** The limit of a whole request, which the response to a command may use. */
const REQUEST_BYTES_MAX = 1024 * 1024;

/** Standard base64. */
const bytes = z.base64().check(z.maxLength(BYTES_MAX));
const requestBytes = z.base64().check(z.maxLength(REQUEST_BYTES_MAX));
const nullableBytes = z._default(z.optional(z.nullable(bytes)), null);
/** A configuration lists every blocked certificate of its network, so replies can be much longer than requests. */
const REPLY_BYTES_MAX = 16 * 1024 * 1024;
const replyBytes = z.base64().check(z.maxLength(REPLY_BYTES_MAX));
const timestamp = z.string().check(z.maxLength(64));

export const EnrollRequest = z.object({
  code: z.string().check(z.maxLength(4096)),
  /** X25519, PEM. */
  dhPubkey: nullableBytes,
  /** Ed25519, PEM. */
  edPubkey: nullableBytes,
  nebulaPubkeyP256: nullableBytes,
  hostPubkeyP256: nullableBytes,
  timestamp: z.optional(timestamp),
});
export type EnrollRequest = z.output<typeof EnrollRequest>;

/** The part of the reply that an agent gets at enrollment and with every update. */
const identity = {
  /** YAML without the private key. */
  config: replyBytes,
  counter: z.number(),
  /** Consecutive PEM blocks and nothing else. */
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

/** The envelope. The signature is over the base64 text of `message`, by the host's signing key. */
export const AgentRequest = z.object({
  version: z.literal(1),
  hostID: z.string().check(z.maxLength(64)),
  counter: z.int().check(z.minimum(0)),
  message: requestBytes,
  signature: bytes,
});
export type AgentRequest = z.output<typeof AgentRequest>;

/** The decoded `message` of an AgentRequest. */
export const AgentMessage = z.object({
  type: z.string().check(z.maxLength(64)),
  value: z._default(z.optional(z.nullable(requestBytes)), null),
  timestamp,
});
export type AgentMessage = z.output<typeof AgentMessage>;

/** The reply to DoUpdate, DoConfigUpdate and Reauthenticate. The signature is over the decoded bytes of `message`. */
export const SignedReply = z.object({ version: z.literal(1), message: replyBytes, signature: bytes });
export type SignedReply = z.output<typeof SignedReply>;

export const CheckForUpdateReply = z.object({ updateAvailable: z.boolean() });

/** New keys of the network's curve; the others are null. */
export const UpdateRequest = z.object({
  edPubkeyPEM: nullableBytes,
  dhPubkeyPEM: nullableBytes,
  p256HostPubkeyPEM: nullableBytes,
  p256NebulaPubkeyPEM: nullableBytes,
  nonce: bytes,
});
export type UpdateRequest = z.output<typeof UpdateRequest>;

export const UpdateReply = z.object({ ...identity, nonce: bytes });
export type UpdateReply = z.output<typeof UpdateReply>;

export const CommandResponse = z.object({
  responseToken: z.string().check(z.maxLength(128)),
  response: z.optional(z.unknown()),
});

const ADDRESS_LENGTH_MAX = 64;
const VERSION_LENGTH_MAX = 64;
/** The relays of one tunnel. */
export const TUNNEL_RELAYS_MAX = 10;
const byteCount = z.int().check(z.minimum(0));

/** Optional: older agents report only the address. */
const ReportedTunnel = z.object({
  /** The overlay address of the host at the other end. */
  vpnIp: z.string().check(z.maxLength(ADDRESS_LENGTH_MAX)),
  /** The address and port to which packets are sent; null if they are relayed. */
  remoteAddress: z.nullish(z.string().check(z.maxLength(ADDRESS_LENGTH_MAX))),
  /** The overlay addresses of the relays; empty if the tunnel is direct. */
  relays: z.optional(
    z.array(z.string().check(z.maxLength(ADDRESS_LENGTH_MAX))).check(z.maxLength(TUNNEL_RELAYS_MAX)),
  ),
  /** When the last handshake completed. */
  handshakeAt: z.nullish(instant()),
  /** The duration of the last handshake, if this host started it. */
  latencyMs: z.nullish(z.number().check(z.minimum(0))),
});
export type ReportedTunnel = z.output<typeof ReportedTunnel>;

const ReportedSystem = z.object({
  /** The operating system with its version, such as Debian GNU/Linux 12. */
  os: z.string().check(z.maxLength(255)),
  kernel: z.optional(z.string().check(z.maxLength(VERSION_LENGTH_MAX))),
  /** Such as amd64 or arm64. */
  arch: z.string().check(z.maxLength(VERSION_LENGTH_MAX)),
});
export type ReportedSystem = z.output<typeof ReportedSystem>;

/** Counters of the overlay interface since it was created; one that is lower than before was created again. */
const ReportedTraffic = z.object({ receivedBytes: byteCount, sentBytes: byteCount });
export type ReportedTraffic = z.output<typeof ReportedTraffic>;

/** An extension of the public protocol: only our agent sends it, after each change and every five minutes. */
export const ReportStatus = z.object({
  /** SHA-256 of the configuration as sent by the server, in hex. */
  configHash: z.string().check(z.maxLength(64)),
  nebulaVersion: z.nullable(z.string().check(z.maxLength(VERSION_LENGTH_MAX))),
  appliedAt: instant(),
  error: z.optional(z.nullable(z.string().check(z.maxLength(4096)))),
  tunnels: z.optional(z.array(ReportedTunnel)),
  system: z.nullish(ReportedSystem),
  traffic: z.nullish(ReportedTraffic),
});
export type ReportStatus = z.output<typeof ReportStatus>;

export const LongPollRequest = z.object({
  supportedActions: z.nullish(z.array(z.string().check(z.maxLength(64))).check(z.maxLength(50))),
  /** An extension of the public protocol: the value of a DoConfigUpdate, whose reply may come with the poll's. */
  update: z.nullish(UpdateRequest),
  /** An extension of the public protocol: the report that a `pauseSeconds` has delayed. */
  status: z.nullish(ReportStatus),
});
export type LongPollRequest = z.output<typeof LongPollRequest>;

export const PAUSE_SECONDS_MAX = 8;

export const AgentAction = z.object({
  command: z.string(),
  args: z.optional(z.record(z.string(), z.unknown())),
});
export type AgentAction = z.output<typeof AgentAction>;
export const LongPollReply = z.object({
  action: AgentAction,
  responseToken: z.string(),
  /** With the action DoConfigUpdate, if the poll had an `update`: there is nothing left to fetch. */
  update: z.optional(SignedReply),
  /** With `update`, if many hosts get theirs: how long to wait before the next poll, which contains the report. */
  pauseSeconds: z.optional(z.number().check(z.minimum(0), z.maximum(PAUSE_SECONDS_MAX))),
});
export type LongPollReply = z.output<typeof LongPollReply>;

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
