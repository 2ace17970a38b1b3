/** A host's poll until it gets a reply, fails or is abandoned. */
import type { LongPollReply } from "@lightkeeper/contract/agent";
import type { AgentCall } from "../agents/control-plane.ts";
import type { Waiter } from "./waiting-hosts.ts";

export const NO_OP: LongPollReply = { action: { command: "NoOp" }, responseToken: "" };

interface Poll {
  call: AgentCall;
  supportedActions: readonly string[];
  disconnected: AbortSignal;
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
  readonly #disconnected: AbortSignal;
  readonly #callbacks: PollCallbacks;
  readonly #end = () => this.reply(NO_OP);
  #timer: NodeJS.Timeout | undefined;

  constructor({ call, supportedActions, disconnected }: Poll, callbacks: PollCallbacks) {
    this.call = call;
    this.supportedActions = supportedActions;
    this.#disconnected = disconnected;
    this.#callbacks = callbacks;
    disconnected.addEventListener("abort", this.#end);
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
    this.#disconnected.removeEventListener("abort", this.#end);
    this.#callbacks.onClose(this);
  }
}
