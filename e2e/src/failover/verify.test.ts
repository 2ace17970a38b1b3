/** The comparison finds what it is supposed to find. */
import { RequestError } from "@lightkeeper/contract";
import { expect, it } from "vitest";
import { createRecorder } from "./availability.ts";
import { compareWithStored, type Observed, type StoredState } from "./verify.ts";

const requestWith = (id: string, count: number, hostIDs: string[]) => ({
  headers: { "webhook-id": id },
  body: JSON.stringify({ data: { count, items: hostIDs.map((hostID) => ({ id: hostID })) } }),
});
const request = (id: string, ...hostIDs: string[]) => requestWith(id, hostIDs.length, hostIDs);
const entry = (event_type: string, target_id: string) => ({ event_type, target_id });

const observed = (): Observed => ({
  acknowledged: {
    hosts: new Map([
      ["host-1", { name: "one", addresses: ["10.0.0.1"] }],
      ["host-2", { name: "two", addresses: ["10.0.0.2"] }],
      ["host-3", { name: "three", addresses: ["10.0.0.3"] }],
    ]),
    uncertain: new Set(),
    deleted: new Set(["host-3"]),
    jobs: new Map([["job-1", ["host-2"]]]),
  },
  agentHostIDs: ["host-9"],
  requests: [request("message-1", "host-2")],
});

const stored = (): StoredState => ({
  hosts: [
    { id: "host-1", name: "one", network_id: "network", ip_address: "10.0.0.1" },
    { id: "host-2", name: "two", network_id: "network", ip_address: "10.0.0.2" },
  ],
  jobs: [{ id: "job-1", state: "done", done: 1, total: 1 }],
  entries: [entry("CREATED", "host-1"), entry("BLOCKED_HOST", "host-2"), entry("ENROLLED", "host-9")],
});

/** The problems after a change of what is stored and of what was observed. */
function findProblems(change: (state: StoredState, observation: Observed) => void) {
  const [state, observation] = [stored(), observed()];
  change(state, observation);
  const { lost, duplicated, enrolledAgain } = compareWithStored(observation, state);
  return { lost, duplicated, enrolledAgain };
}

const NONE = { lost: [], duplicated: [], enrolledAgain: [] };

it("finds nothing if the database contains what was acknowledged", () => {
  expect(findProblems(() => undefined)).toEqual(NONE);
});

it("accepts either result of a change without a response, and a message that was repeated with the same ID", () => {
  const problems = findProblems((state, { acknowledged, ...observation }) => {
    acknowledged.uncertain.add("host-1");
    state.hosts[0]!.name = "renamed";
    Object.assign(observation, {
      requests: [request("message-1", "host-2"), request("message-1", "host-2")],
    });
  });
  expect(problems).toEqual(NONE);
});

it("counts hosts that a message doesn't list", () => {
  const findWith = (count: number) =>
    findProblems(({ entries }, observation) => {
      entries.push(entry("BLOCKED_HOST", "host-1"), entry("BLOCKED_HOST", "host-9"));
      Object.assign(observation, { requests: [requestWith("message-1", count, ["host-2"])] });
    });
  expect(findWith(3)).toEqual(NONE);
  expect(findWith(2)).toEqual({ ...NONE, lost: ["the notification about host-9"] });
  expect(findWith(4)).toEqual({
    ...NONE,
    duplicated: ["notifications about hosts that no message lists: 1"],
  });
});

it.each<[string, Parameters<typeof findProblems>[0]]>([
  ["the host one", ({ hosts }) => void hosts.shift()],
  ["the host one", ({ hosts }) => void (hosts[0]!.name = "another")],
  ["the address of one", ({ hosts }) => void (hosts[0]!.ip_address = "10.0.0.7")],
  [
    "the deletion of three",
    ({ hosts }) => void hosts.push({ ...hosts[0]!, id: "host-3", ip_address: "10.0.0.3" }),
  ],
  ["the job job-1", ({ jobs }) => void (jobs[0]!.done = 0)],
  ["the block of host-2", ({ entries }) => void entries.splice(1, 1)],
  ["the notification about host-2", (_, { requests }) => void (requests as unknown[]).pop()],
])("finds that %s was lost", (lost, change) => {
  expect(findProblems(change)).toEqual({ ...NONE, lost: [lost] });
});

it.each<[string, Parameters<typeof findProblems>[0]]>([
  [
    "the address network 10.0.0.1, 2 times",
    ({ hosts }) => void hosts.push({ ...hosts[0]!, id: "host-7", name: "seven" }),
  ],
  ["the creation of host-1, 2 times", ({ entries }) => void entries.push(entry("CREATED", "host-1"))],
  ["the block of host-2, 2 times", ({ entries }) => void entries.push(entry("BLOCKED_HOST", "host-2"))],
  [
    "the notification about host-2, 2 times",
    (_, { requests }) => void (requests as unknown[]).push(request("message-2", "host-2")),
  ],
])("finds %s", (duplicated, change) => {
  expect(findProblems(change)).toEqual({ ...NONE, duplicated: [duplicated] });
});

it("finds a host that has enrolled again", () => {
  const problems = findProblems(({ entries }) => void entries.push(entry("ENROLLED", "host-9")));
  expect(problems).toEqual({ ...NONE, enrolledAgain: ["host-9"] });
});

it("counts every failure as unexpected except a lost connection and the declared responses", async () => {
  const recorder = createRecorder();
  const fail = (status: number, code: string) => () =>
    Promise.reject(new RequestError(code, new Response(null, { status }), [{ code, message: "" }]));
  await recorder.record("client", "read", () => Promise.resolve("data"));
  await recorder.record("client", "read", fail(503, "ERR_UNAVAILABLE"));
  await recorder.record("client", "read", fail(408, "ERR_TIMEOUT"));
  await recorder.record("client", "read", () => Promise.reject(new TypeError("fetch failed")));
  expect(recorder.failingCount).toBe(1);
  await recorder.record("client", "read", fail(500, "ERR_INTERNAL_SERVER_ERROR"));
  await recorder.record("client", "read", fail(503, "ERR_OTHER"));
  const { succeeded, failed, unexpected } = recorder.take();
  expect({ succeeded, failed }).toEqual({ succeeded: 1, failed: 5 });
  expect(unexpected).toEqual(["read: 500 ERR_INTERNAL_SERVER_ERROR", "read: 503 ERR_OTHER"]);
});
