/** A host's poll until it gets a reply, fails or is abandoned. */
import type { LongPollReply, LongPollRequest, UpdateRequest } from "@lightkeeper/contract/agent";
import { SECOND_MS } from "../../infrastructure/time/durations.ts";
import type { AgentCall, Connection } from "../agents/control-plane.ts";
import type { Waiter } from "./waiting-hosts.ts";

export const NO_OP: LongPollReply = { action: { command: "NoOp" }, responseToken: "" };

/** How much longer a poll may take if it's about to be checked. */
export const HELD_MS_MAX = 8 * SECOND_MS;

interface Poll {
  call: AgentCall;
  request: LongPollRequest;
  connection: Connection;
}

interface PollCallbacks {
  send: (reply: LongPollReply) => void;
  fail: (error: Error) => void;
  /** Called once, before the response is sent. */
  onClose: (waiter: Waiter) => void;
}

export class PollWaiter implements Waiter {
  call: AgentCall;
  isOpen = true;
  isUpdating = false;
  readonly supportedActions: readonly string[];
  readonly update: UpdateRequest | undefined;
  readonly #connection: Connection;
  readonly #callbacks: PollCallbacks;
  readonly #end = () => this.reply(NO_OP);
  #timer: NodeJS.Timeout | undefined;
  #isHeld = false;
  #isOverdue = false;

  constructor({ call, request, connection }: Poll, callbacks: PollCallbacks) {
    this.call = call;
    this.supportedActions = request.supportedActions ?? [];
    this.update = request.update ?? undefined;
    this.#connection = connection;
    this.#callbacks = callbacks;
    connection.once("close", this.#end);
  }

  reply(reply: LongPollReply): void {
    if (this.#close()) this.#callbacks.send(reply);
  }

  fail(error: Error): void {
    if (this.#close()) this.#callbacks.fail(error);
  }

  endAfter(ms: number): void {
    if (this.isOpen) this.#timer = setTimeout(() => this.#endUnlessHeld(), ms);
  }

  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    if (this.#isOverdue) this.#end();
  }

  #endUnlessHeld(): void {
    if (!this.#isHeld) return this.#end();
    this.#isOverdue = true;
    this.#timer = setTimeout(this.#end, HELD_MS_MAX);
  }

  /** Returns whether the poll was open. */
  #close(): boolean {
    if (!this.isOpen) return false;
    this.isOpen = false;
    clearTimeout(this.#timer);
    this.#connection.off("close", this.#end);
    this.#callbacks.onClose(this);
    return true;
  }
}
