/** The interface of the control plane, which knows the configuration that every host should have. */
import type {
  EnrollReply,
  LongPollReply,
  ReportStatus,
  SignedReply,
  UpdateReply,
  UpdateRequest,
} from "@lightkeeper/contract/agent";
import type { Curve } from "@lightkeeper/nebula";
import type { Selectable } from "kysely";
import type { Writer } from "../../infrastructure/db/client.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import type { IssuedCertificate } from "../../nouns/certificates/certificates.service.ts";
import type { CallingHost } from "./calling-hosts.service.ts";
import type { Client } from "./user-agent.ts";

export interface AgentCall {
  host: CallingHost;
  client: Client;
  now: Date;
}

export type HostReply = Omit<EnrollReply, "hostID"> & Omit<UpdateReply, "nonce">;

export interface HostKeys {
  signingKey: Buffer;
  /** The key of the host's tunnels. */
  publicKey: Buffer;
}

export interface Provisioning {
  row: Selectable<Tables["hosts"]>;
  /** Throws if the host sent no valid keys of the curve. */
  keysOf: (curve: Curve) => HostKeys;
  client: Client;
  /** Of the network, whose changes wait for the transaction; undefined if the transaction changed the network. */
  networkRevision: number | undefined;
  now: Date;
}

export interface Provisioned {
  certificate: IssuedCertificate;
  issuerID: string;
  reply: HostReply;
}

export interface ControlPlane {
  /** Issues the first certificate and credentials of a host; undefined if its network doesn't exist. */
  provision(tx: Writer, provisioning: Provisioning): Promise<Provisioned | undefined>;
  hasUpdate(call: AgentCall): Promise<boolean>;
  /** Resolves when the host has something to do, or after the longest poll. */
  wait(
    call: AgentCall,
    supportedActions: readonly string[],
    disconnected: AbortSignal,
  ): Promise<LongPollReply>;
  /** Issues a new certificate, configuration and credentials. */
  renew(call: AgentCall, request: UpdateRequest): Promise<SignedReply>;
  /** Issues a new configuration and credentials; the certificate stays. */
  configure(call: AgentCall, request: UpdateRequest): Promise<SignedReply>;
  /** Signs a reply with the key that the host trusts. */
  sign(call: AgentCall, reply: { loginURL: string }): Promise<SignedReply>;
  report(call: AgentCall, status: ReportStatus): Promise<void>;
}
