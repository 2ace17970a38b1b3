import { PAUSE_SECONDS_MAX, type SignedReply, type UpdateRequest } from "@lightkeeper/contract/agent";
import { expect, it } from "vitest";
import type { Context } from "../../infrastructure/context/context.ts";
import type { CallingHost } from "../agents/calling-hosts.service.ts";
import type { AgentCall } from "../agents/control-plane.ts";
import { createPollChecks } from "./poll-checks.ts";
import { PollWaiter } from "./poll-waiter.ts";
import { createWaitingHosts } from "./waiting-hosts.ts";

const host = { id: "host-a", networkID: "network-a", roleID: null, tags: [] as string[] } as CallingHost;
const update = { nonce: "" } as UpdateRequest;
const signed: SignedReply = { version: 1, message: "", signature: "" };

/** Checks of one waiting host that needs a configuration, which is stored when `store` is called. */
function startPoll(hostsToCheck: number) {
  const replies: unknown[] = [];
  const waiting = createWaitingHosts();
  const connection = { closed: false, once: () => connection, off: () => connection } as never;
  const poll = {
    call: { host } as AgentCall,
    request: { supportedActions: ["DoConfigUpdate"], update },
    connection,
  };
  const waiter = new PollWaiter(poll, {
    send: (reply) => replies.push(reply),
    fail: (error) => replies.push(error),
    onClose: () => {},
  });
  waiting.add(waiter);
  const stores: ((reply: SignedReply) => void)[] = [];
  const checks = createPollChecks({ clock: () => new Date(0) } as Context, {
    waiting,
    findUpdate: async () => "config",
    expectUpdate: () => "config",
    configure: () => new Promise((resolve) => stores.push(resolve)),
    countHostsToCheck: () => hostsToCheck,
  });
  return { waiter, checks, replies, stores };
}

it.each([
  [1, undefined],
  [99, undefined],
  [100, 0.1],
  [5000, 5],
  [1_000_000, PAUSE_SECONDS_MAX],
])("with %d hosts to check, the pause after an update is %s seconds", async (count, pauseSeconds) => {
  const { waiter, checks, replies, stores } = startPoll(count);
  const outcome = checks.checkForWork(waiter, host);
  await Promise.resolve();
  stores[0]!(signed);
  expect(await outcome).toBe("sent");
  expect(replies).toEqual([
    {
      action: { command: "DoConfigUpdate" },
      responseToken: "",
      update: signed,
      ...(pauseSeconds && { pauseSeconds }),
    },
  ]);
});

it("while a configuration is stored, the poll gets nothing else", async () => {
  const { waiter, checks, replies, stores } = startPoll(1);
  const first = checks.checkForWork(waiter, host);
  await Promise.resolve();
  expect(await checks.checkForWork(waiter, host)).toBeUndefined();
  expect(stores).toHaveLength(1);
  stores[0]!(signed);
  expect(await first).toBe("sent");
  expect(replies).toHaveLength(1);
});
