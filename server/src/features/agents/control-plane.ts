/** What agents ask of the control plane, which knows what every host should have. */
import type {
  EnrollReply,
  EnrollRequest,
  LongPollReply,
  ReportStatus,
  SignedReply,
  UpdateRequest,
} from "@lightkeeper/contract/agent";
import type { CallingHost } from "./calling-hosts.service.ts";
import type { Client } from "./user-agent.ts";

export interface AgentCall {
  host: CallingHost;
  client: Client;
  now: Date;
}

export interface ControlPlane {
  /** Burns the code; refuses one that is wrong, used or too old. */
  enroll(request: EnrollRequest, from: { client: Client; now: Date; ip: string }): Promise<EnrollReply>;
  hasUpdate(call: AgentCall): Promise<boolean>;
  /** Resolves when there is something to do, and after a while in any case. */
  wait(call: AgentCall, supportedActions: readonly string[], gone: AbortSignal): Promise<LongPollReply>;
  /** A new certificate, a new configuration, new credentials. */
  renew(call: AgentCall, request: UpdateRequest): Promise<SignedReply>;
  /** The same without a certificate. */
  configure(call: AgentCall, request: UpdateRequest): Promise<SignedReply>;
  /** An answer that the host can trust. */
  sign(call: AgentCall, reply: { loginURL: string }): Promise<SignedReply>;
  report(call: AgentCall, status: ReportStatus): Promise<void>;
}
