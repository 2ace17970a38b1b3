import { expect, it } from "vitest";
import type { AgentCall } from "../agents/control-plane.ts";
import { createWaitingHosts, type Waiter } from "./waiting-hosts.ts";

const hostWith = (roleID: string | null, tags: string[]) =>
  ({ id: "host-a", networkID: "network-a", organizationID: "org-a", roleID, tags }) as AgentCall["host"];

it.each([
  [hostWith(null, [])],
  [hostWith("role-a", ["a:b"])],
  [hostWith("role-a", ["a:c"])],
  [hostWith("role-b", ["a:b", "a:c"])],
])("a waiter is found by the current role and tags of its host: %j", (host) => {
  const waiting = createWaitingHosts();
  const waiter = { call: { host: hostWith("role-a", ["a:b"]) }, isOpen: true } as Waiter;
  waiting.add(waiter);
  waiting.refresh(waiter, host);
  const none = { roleIDs: new Set<string>(), tags: new Set<string>(), hostIDs: new Set<string>() };
  const isFound = (affected: Partial<typeof none>) =>
    [...waiting.affectedIn("network-a", { ...none, ...affected })].length > 0;
  for (const id of ["role-a", "role-b"])
    expect([id, isFound({ roleIDs: new Set([id]) })]).toEqual([id, host.roleID === id]);
  for (const tag of ["a:b", "a:c"])
    expect([tag, isFound({ tags: new Set([tag]) })]).toEqual([tag, host.tags.includes(tag)]);
  expect(waiter.call.host).toBe(host);
  expect(waiting.remove(waiter)).toBe(true);
  expect(waiting.ofHost("host-a")).toBeUndefined();
});
