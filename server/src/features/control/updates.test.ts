import { createHash } from "node:crypto";
import { listAuditLogs } from "@lightkeeper/contract";
import { describe, expect, it } from "vitest";
import {
  agent,
  change,
  host,
  offeredCommand,
  owner,
  server,
  useEnrolledHost,
} from "../../testing/updates-fixture.ts";

useEnrolledHost();

const eventsOf = async (id: string) =>
  (await owner.call(listAuditLogs, { query: { "filter.targetID": id } })).data.map(({ event }) => event.type);
const credentialsOf = (id: string) =>
  server.query<{ counter: number }>(
    "select counter from host_credentials where host_id = $1 order by counter",
    [id],
  );

describe("an update", () => {
  it("is signed by the organization, and has the nonce and the next counter", async () => {
    await agent.update("DoUpdate");
    expect(agent.state.counter).toBe(2);
    await agent.update("DoConfigUpdate");
    expect(agent.state.counter).toBe(3);
    expect((await agent.send("CheckForUpdate")).status).toBe(200);
  });

  it("keeps the old key valid only until the new key is used", async () => {
    const old = agent.state;
    const next = await agent.fetchUpdate("DoUpdate");
    expect((await agent.send("CheckForUpdate")).status).toBe(200);
    expect(await credentialsOf(host.id)).toEqual([{ counter: 1 }, { counter: 2 }]);
    agent.state = next;
    expect((await agent.send("CheckForUpdate")).status).toBe(200);
    expect(await credentialsOf(host.id)).toEqual([{ counter: 2 }]);
    expect((await agent.send("CheckForUpdate", undefined, old)).status).toBe(401);
    expect((await agent.send("DoUpdate", {}, old)).status).toBe(401);
  });

  it("whose response was lost is offered again, and only the received update is valid", async () => {
    await change({ listenPort: 4244 });
    const lost = await agent.fetchUpdate("DoConfigUpdate");
    expect(await offeredCommand()).toBe("DoConfigUpdate");
    const received = await agent.fetchUpdate("DoConfigUpdate");
    expect([lost.counter, received.counter]).toEqual([2, 2]);
    expect((await agent.send("CheckForUpdate", undefined, lost)).status).toBe(401);
    agent.state = received;
    expect(await offeredCommand()).toBe("NoOp");
  });

  it("whose response was lost does not change the certificate that is shown", async () => {
    const shown = () =>
      server.query("select ca_id, certificate_expires_at as at from hosts where id = $1", [host.id]);
    const before = await shown();
    const lost = await agent.fetchUpdate("DoUpdate");
    expect(await agent.hasUpdate()).toBe(false);
    expect(await shown()).toEqual(before);
    agent.state = lost;
    await agent.hasUpdate();
    expect(await shown()).not.toEqual(before);
    const superseded = await server.query(
      "select superseded_at is not null as yes from host_certificates where host_id = $1 order by not_after",
      [host.id],
    );
    expect(superseded).toEqual([{ yes: true }, { yes: false }]);
  });

  it("writes a RENEWED audit entry for a certificate, and none for a configuration", async () => {
    await agent.update("DoConfigUpdate");
    expect((await eventsOf(host.id))[0]).toBe("ENROLLED");
    await agent.update("DoUpdate");
    const [entry] = (await owner.call(listAuditLogs, { query: { "filter.targetID": host.id } })).data;
    expect(entry).toMatchObject({
      actor: { type: "host", id: host.id, name: host.name },
      event: { type: "RENEWED" },
    });
  });

  it("without the required keys is rejected and changes nothing", async () => {
    const keys = { edPubkeyPEM: null, dhPubkeyPEM: null, nonce: "AAAA" };
    for (const type of ["DoUpdate", "DoConfigUpdate"])
      expect((await agent.send(type, keys)).errors).toMatchObject([{ path: "edPubkeyPEM" }]);
    expect(await credentialsOf(host.id)).toEqual([{ counter: 1 }]);
  });
});

describe("a report of a host", () => {
  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
  const isDrifted = async () =>
    (await server.query<{ is_drifted: boolean }>("select is_drifted from hosts where id = $1", [host.id]))[0]!
      .is_drifted;

  it("shows no drift if the host runs the configuration that it was sent, with or without a certificate", async () => {
    expect((await agent.report({ configHash: sha256(agent.state.config) })).status).toBe(200);
    expect(await isDrifted()).toBe(false);
    await agent.update("DoConfigUpdate");
    await agent.report({ configHash: sha256(agent.state.config) });
    expect(await isDrifted()).toBe(false);
  });

  it("shows drift if the host runs another configuration, has an error or has not applied a change", async () => {
    const configHash = sha256(agent.state.config);
    await agent.report({ configHash: sha256("something else") });
    expect(await isDrifted()).toBe(true);
    await agent.report({ configHash });
    expect(await isDrifted()).toBe(false);
    await agent.report({ configHash, error: "nebula rejected it" });
    expect(await isDrifted()).toBe(true);
    await agent.report({ configHash });
    await change({ listenPort: 4245 });
    await agent.report({ configHash });
    expect(await isDrifted()).toBe(true);
  });

  it("is stored", async () => {
    const configHash = sha256(agent.state.config);
    await agent.report({
      configHash,
      nebulaVersion: null,
      appliedAt: "2026-05-04T03:02:01.000Z",
      tunnels: [{ vpnIp: "10.0.0.1" }],
    });
    const [row] = await server.query("select * from host_reports where host_id = $1", [host.id]);
    expect(row).toMatchObject({
      config_hash: configHash,
      nebula_version: null,
      applied_at: new Date("2026-05-04T03:02:01.000Z"),
      error: null,
      tunnels: [{ vpnIp: "10.0.0.1" }],
    });
  });
});
