/** The interface of the control plane, which knows the configuration that every host should have. */
import type {
  EnrollReply,
  LongPollReply,
  LongPollRequest,
  ReportStatus,
  SignedReply,
  UpdateReply,
  UpdateRequest,
} from "@lightkeeper/contract/agent";
import type { ServerResponse } from "node:http";
import type { Curve } from "@lightkeeper/nebula";
import type { Selectable } from "kysely";
import type { Writer } from "../../infrastructure/db/client.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import type { Later } from "../../infrastructure/http/responses.ts";
import type { IssuedCertificate } from "../../nouns/certificates/certificates.service.ts";
import type { CallingHost } from "./calling-hosts.service.ts";
import type { Client } from "./user-agent.ts";

export interface AgentCall {
  host: CallingHost;
  client: Client;
  now: Date;
}

/** The response to a client, which is closed when the client disconnects. */
export type Connection = Pick<ServerResponse, "closed" | "once" | "off">;

export type HostReply = Omit<EnrollReply, "hostID"> & Omit<UpdateReply, "nonce">;

export interface HostKeys {
  signingKey: Buffer;
  /** The key of the host's tunnels. */
  publicKey: Buffer;
}

export interface HostToProvision {
  row: Selectable<Tables["hosts"]>;
  /** Throws if the host sent no valid keys of the curve. */
  keysOf: (curve: Curve) => HostKeys;
  client: Client;
}

export interface Provisioning {
  network: {
    id: string;
    organizationID: string;
    /** The network's changes wait for the transaction; undefined if the transaction changed the network. */
    revision: number | undefined;
  };
  /** Hosts of the network. */
  hosts: readonly HostToProvision[];
  now: Date;
}

export interface Provisioned {
  row: HostToProvision["row"];
  certificate: IssuedCertificate;
  issuerID: string;
  reply: HostReply;
}

export interface ControlPlane {
  /** Issues the first certificate and credentials of each host; undefined if the network doesn't exist. */
  provision(tx: Writer, provisioning: Provisioning): Promise<Provisioned[] | undefined>;
  hasUpdate(call: AgentCall): Promise<boolean>;
  /** Responds when the host has something to do, or after the longest poll. */
  wait(call: AgentCall, request: LongPollRequest, connection: Connection): Later<LongPollReply>;
  /** The waiting hosts that are about to be told what to do. */
  countHostsToCheck(): number;
  /** Whether the host is one of many that were just told to fetch an update, and hasn't fetched it. */
  isFetchExpected(hostID: string): boolean;
  /** Issues a new certificate, configuration and credentials. */
  renew(call: AgentCall, request: UpdateRequest): Promise<SignedReply>;
  /** Issues a new configuration and credentials; the certificate stays. */
  configure(call: AgentCall, request: UpdateRequest): Promise<SignedReply>;
  /** Signs a reply with the key that the host trusts. */
  sign(call: AgentCall, reply: { loginURL: string }): Promise<SignedReply>;
  report(call: AgentCall, status: ReportStatus): Promise<void>;
}
