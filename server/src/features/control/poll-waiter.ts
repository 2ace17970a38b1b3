/** A host's poll until it gets a reply, fails or is abandoned. */
import type { LongPollReply } from "@lightkeeper/contract/agent";
import type { AgentCall, Connection } from "../agents/control-plane.ts";
import type { Waiter } from "./waiting-hosts.ts";

export const NO_OP: LongPollReply = { action: { command: "NoOp" }, responseToken: "" };

interface Poll {
  call: AgentCall;
  supportedActions: readonly string[];
  connection: Connection;
}

interface PollCallbacks {
  resolve: (reply: LongPollReply) => void;
  reject: (error: Error) => void;
  /** Called once, before the poll is resolved or rejected. */
  onClose: (waiter: Waiter) => void;
}

export class PollWaiter implements Waiter {
  call: AgentCall;
  isOpen = true;
  readonly supportedActions: readonly string[];
  readonly #connection: Connection;
  readonly #callbacks: PollCallbacks;
  readonly #end = () => this.reply(NO_OP);
  #timer: NodeJS.Timeout | undefined;

  constructor({ call, supportedActions, connection }: Poll, callbacks: PollCallbacks) {
    this.call = call;
    this.supportedActions = supportedActions;
    this.#connection = connection;
    this.#callbacks = callbacks;
    connection.once("close", this.#end);
  }

  reply(reply: LongPollReply): void {
    this.#close();
    this.#callbacks.resolve(reply);
  }

  fail(error: Error): void {
    this.#close();
    this.#callbacks.reject(error);
  }

  endAfter(ms: number): void {
    if (this.isOpen) this.#timer = setTimeout(this.#end, ms);
  }

  #close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    clearTimeout(this.#timer);
    this.#connection.off("close", this.#end);
    this.#callbacks.onClose(this);
  }
}
