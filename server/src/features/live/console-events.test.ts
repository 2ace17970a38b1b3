/** Consoles are notified of every change of the data that they show. */
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  applyImport,
  bulkHosts,
  createEnrollmentCode,
  createRole,
  createRoute,
  createTag,
  deleteHost,
  deleteRoute,
  deleteTag,
  getJob,
  planImport,
  updateHostV3,
  updateNetworkV2,
  updateOrganization,
  updateRole,
  updateTag,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type EventReader, readEvents } from "../../testing/events.ts";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { TestAgent } from "../../testing/test-agent.ts";
import { announce } from "../../infrastructure/changes/announce.ts";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
beforeAll(async () => {
  server = await startTestServer({ agentPollMs: 50 });
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
});
afterAll(() => server.close());

const nounsOf = ({ changes }: EventReader) => [...new Set(changes.map(({ noun }) => noun))].sort();

/** Returns the events that a console gets during the work; a final change marks their end. */
async function notifiedNouns(work: () => Promise<unknown>): Promise<string[]> {
  const events = await readEvents(server, owner);
  await work();
  await server.query("select pg_notify('lightkeeper_changes', $1)", [
    JSON.stringify({ organizationID: owner.organizationID, noun: "the end" }),
  ]);
  await vi.waitFor(() => expect(nounsOf(events)).toContain("the end"), 20_000);
  events.close();
  return nounsOf(events).filter((noun) => noun !== "the end" && noun !== "audit-logs");
}

/** Longer than the throttles delay a change. */
const waitForThrottles = () => sleep(1200);

const ofHosts = [
  "attention",
  "certificate-authorities",
  "get-started",
  "guarantees",
  "hosts",
  "networks",
  "roles",
  "tags",
];

describe("consoles are notified", () => {
  it("of hosts that are created, changed and deleted, and of the nouns that show them", async () => {
    const host = await fleet.add();
    expect(await notifiedNouns(() => fleet.add())).toEqual(ofHosts);
    const params = { hostID: host.id };
    const rename = () => owner.call(updateHostV3, { params, body: { ...host, name: "renamed" } });
    expect(await notifiedNouns(rename)).toEqual(ofHosts);
    expect(await notifiedNouns(() => owner.call(deleteHost, { params }))).toEqual(ofHosts);
  });

  it("of roles and tags, and of their hosts and guarantees", async () => {
    const role = await owner.call(createRole, { body: { name: "Web" } });
    const change = () => owner.call(updateRole, { params: { roleID: role.id }, body: { description: "x" } });
    expect(await notifiedNouns(change)).toEqual(["guarantees", "hosts", "roles"]);
    const body = { name: "team:ops" };
    expect(await notifiedNouns(() => owner.call(createTag, { body }))).toEqual([
      "guarantees",
      "hosts",
      "tags",
    ]);
    const params = { tag: "team:ops" };
    expect(await notifiedNouns(() => owner.call(updateTag, { params, body: { description: "x" } }))).toEqual([
      "guarantees",
      "hosts",
      "tags",
    ]);
    expect(await notifiedNouns(() => owner.call(deleteTag, { params }))).toEqual([
      "guarantees",
      "hosts",
      "tags",
    ]);
  });

  it("of a deleted route, and of tags, hosts and guarantees that depend on it", async () => {
    const route = await owner.call(createRoute, { body: { name: "Going" } });
    await owner.call(createTag, { body: { name: "takes:route", routeSubscriptions: [route.id] } });
    const remove = () => owner.call(deleteRoute, { params: { routeID: route.id } });
    expect(await notifiedNouns(remove)).toEqual(["guarantees", "hosts", "routes", "tags"]);
  });

  it("of new audit entries for every change, but not for reports of hosts", async () => {
    const events = await readEvents(server, owner);
    const { id: hostID } = await fleet.add();
    await owner.call(createEnrollmentCode, { params: { hostID } });
    await vi.waitFor(() => expect(nounsOf(events)).toContain("audit-logs"));
    events.close();
    const later = await readEvents(server, owner);
    await announce(server.ctx.unaudited, {
      organizationID: owner.organizationID,
      noun: "hosts",
      id: hostID,
    });
    await vi.waitFor(() => expect(nounsOf(later)).toEqual(["attention", "get-started", "hosts"]));
    later.close();
  });

  it("of a network, and of its hosts and guarantees", async () => {
    const params = { networkID: fleet.networkID };
    const change = () =>
      owner.call(updateNetworkV2, { params, body: { name: "Web", lighthousesAsRelays: true } });
    expect(await notifiedNouns(change)).toEqual([
      "attention",
      "get-started",
      "guarantees",
      "hosts",
      "networks",
    ]);
  });

  it("of the organization's new name, and of the current user", async () => {
    const params = { organizationID: owner.organizationID };
    const rename = () => owner.call(updateOrganization, { params, body: { name: "Web" } });
    expect(await notifiedNouns(rename)).toEqual(["auth", "organizations"]);
  });

  it("of a bulk change and its progress, even if it changes nothing", async () => {
    const { id } = await fleet.add({ tags: ["bulk:old"] });
    const bulk = (action: "addTags" | "removeTags") => async () => {
      const { jobID } = await owner.call(bulkHosts, { body: { ids: [id], action, tags: ["bulk:new"] } });
      await server.app.jobs.drain();
      expect(await owner.call(getJob, { params: { jobID } })).toMatchObject({ state: "done" });
    };
    expect(await notifiedNouns(bulk("addTags"))).toEqual([...ofHosts, "jobs"].sort());
    expect(await notifiedNouns(bulk("addTags"))).toEqual(["jobs"]);
  });

  it("of an import", async () => {
    const content = "roles: [{ name: Imported }]\ntags: [{ name: imported:tag }]";
    const { planToken } = await owner.call(planImport, { body: { format: "yaml", content } });
    const apply = () => owner.call(applyImport, { body: { planToken } });
    expect(await notifiedNouns(apply)).toEqual(["guarantees", "hosts", "roles", "tags"]);
  });

  it("of a used enrollment code", async () => {
    const { id: hostID } = await fleet.add();
    const { code } = await owner.call(createEnrollmentCode, { params: { hostID } });
    const events = await readEvents(server, owner);
    await TestAgent.enroll(server.url, code);
    await vi.waitFor(() =>
      expect(events.changes).toContainEqual({ noun: "hosts", id: hostID, networkID: fleet.networkID }),
    );
    events.close();
  });
});

describe("when a host reports", () => {
  let agent: TestAgent;
  const report = (status: object = {}) =>
    agent.report({ configHash: createHash("sha256").update(agent.state.config).digest("hex"), ...status });
  beforeAll(async () => {
    const host = await fleet.add();
    agent = await TestAgent.enrollHost(server.url, owner, host.id);
    await agent.send("CheckForUpdate");
    await server.app.presence.drain();
    await notifiedNouns(async () => undefined);
  });

  it("consoles are notified of changes, but not of repeated reports", async () => {
    const tunnels = [{ vpnIp: "10.0.0.1" }, { vpnIp: "10.0.0.2" }];
    const events = await readEvents(server, owner);
    const times = (name: string) => events.changes.filter(({ noun }) => noun === name).length;
    await report();
    await vi.waitFor(() => expect(times("hosts")).toBe(1), 20_000);
    expect(nounsOf(events)).toEqual(["attention", "get-started", "hosts"]);
    await waitForThrottles();
    await report();
    await waitForThrottles();
    expect(times("hosts")).toBe(1);
    await report({ tunnels });
    await vi.waitFor(() => expect(times("host-state")).toBe(1), 20_000);
    await waitForThrottles();
    await report({ tunnels: tunnels.toReversed() });
    await waitForThrottles();
    expect([times("host-state"), times("hosts")]).toEqual([1, 1]);
    events.close();
  });

  it("consoles are not notified of a poll", async () => {
    expect(await notifiedNouns(() => agent.poll())).toEqual([]);
  });
});
