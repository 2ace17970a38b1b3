/** What a host is called and what it counts as, seen by its peers; and what hosts say when the console asks. */
import {
  createRole,
  createTag,
  type HostCommand,
  pathOf,
  runHostCommand,
  updateHostV3,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OverlayHost } from "./overlay-host.ts";
import { until } from "./shell.ts";
import { nebulaVersions, TestNetwork } from "./test-network.ts";

const PORT = 8080;

interface Certificate {
  /** Not there while there is no tunnel. */
  details?: { name: string; groups: string[]; ips: string[] };
  fingerprint: string;
}

describe.each(nebulaVersions)("with nebula %s", (version) => {
  let testNetwork: TestNetwork;
  let roleID: string;
  let lighthouse: OverlayHost;
  let server: OverlayHost;
  let client: OverlayHost;
  /** Speaks to the lighthouse and to nobody else before it is asked to. */
  let quiet: OverlayHost;

  beforeAll(async () => {
    testNetwork = await TestNetwork.create(version);
    await testNetwork.call(createTag, { body: { name: "team:web" } });
    const firewallRules = [
      { protocol: "ICMP" as const },
      { protocol: "TCP" as const, portRange: { from: PORT, to: PORT }, allowedTags: ["team:web"] },
    ];
    roleID = (await testNetwork.call(createRole, { body: { name: "server", firewallRules } })).id;
    lighthouse = await testNetwork.addHost("lighthouse", { isLighthouse: true, isStatic: true, roleID });
    server = await testNetwork.addHost("server", { roleID });
    client = await testNetwork.addHost("client", { roleID });
    quiet = await testNetwork.addHost("quiet", { roleID });
    await testNetwork.startHosts(lighthouse);
    await server.probe.serve("tcp", PORT);
    await until("the client reaches the server", () => client.probe.ping(server.address));
  });
  afterAll(() => testNetwork.remove());

  const ask = (host: OverlayHost, body: HostCommand) =>
    testNetwork.call(runHostCommand, { params: { hostID: host.id }, body });
  const change = (host: OverlayHost, body: { name?: string; tags?: string[] }) =>
    testNetwork.call(updateHostV3, { params: { hostID: host.id }, body: { roleID, ...body } });
  const getsIn = () => client.probe.reach("tcp", server.address, PORT);
  const seenByServer = async () =>
    (await ask(server, { command: "PrintCert", args: { target: client.address } })) as Certificate;
  /**
   * Nebula makes a tunnel anew for a new certificate once something goes through the old one, and for a while uses
   * the two in turn: what is seen has to stay.
   */
  async function untilSettled(what: string, isSo: (seen: Certificate, isLetIn: boolean) => boolean) {
    let [seen, inARow] = [await seenByServer(), 0];
    const look = async () => {
      await client.probe.ping(server.address);
      const isLetIn = await getsIn();
      seen = await seenByServer();
      inARow = isSo(seen, isLetIn) ? inARow + 1 : 0;
      return inARow === 3;
    };
    await until(what, look, { seconds: 120 });
    return seen;
  }

  describe("a peer", () => {
    let first: Certificate;

    it("sees a host's certificate", async () => {
      // Packets flow before the agent trusts its nebula to stay.
      await until("the console answers", async () => (await seenByServer()).details !== undefined);
      first = await seenByServer();
      expect(first).toMatchObject({
        details: { name: "client", groups: [`role:${roleID}`], ips: [`${client.address}/22`] },
      });
      expect(await getsIn()).toBe(false);
    });

    it("sees a new one when the host is renamed and tagged, and rules that name the tag hold", async () => {
      await change(client, { name: "renamed", tags: ["team:web"] });
      const now = await untilSettled(
        "the client gets in by its new name",
        ({ details }, isLetIn) => isLetIn && details?.name === "renamed",
      );
      expect(now.details?.groups).toEqual([`role:${roleID}`, "tag:team:web"]);
      expect(now.fingerprint).not.toBe(first.fingerprint);
      const tunnel = await ask(server, { command: "PrintTunnel", args: { target: client.address } });
      expect(tunnel).toMatchObject({ vpnIp: client.address, cert: { fingerprint: now.fingerprint } });
    });

    it("lets no new connection in when the tag is gone; one that is open goes on, as nebula has it", async () => {
      const connection = await client.probe.openConnection(server.address, PORT);
      await change(client, { tags: [] });
      const now = await untilSettled(
        "the client has no tag and does not get in",
        ({ details }, isLetIn) => !isLetIn && details?.groups.join() === `role:${roleID}`,
      );
      expect(now.details?.name).toBe("renamed");
      // Nebula asks its rules about a connection again only when they change, not when the peer does.
      await until("the open connection answers", () => connection.isAlive());
    });
  });

  describe("a host asked by the console", () => {
    const print = (command: "PrintTunnel" | "PrintCert", { address }: OverlayHost) =>
      ask(server, { command, args: { target: address } });

    it("streams its log, line by line, at the level asked for, while things happen", async () => {
      const over = new AbortController();
      const lines = streamLogs({ durationSeconds: 600, level: "debug" }, over.signal);
      const begun = await lines.next();
      expect(begun.value).toMatchObject({ durationSeconds: 600, msg: "Log streaming session started" });
      expect(await print("PrintTunnel", quiet)).toMatch(/^Could not find tunnel/);
      expect(await ask(server, { command: "CreateTunnel", args: { target: quiet.address } })).toBe("Created");
      let [hasHandshake, hasDetail] = [false, false];
      for await (const { level, msg, certName } of lines) {
        hasHandshake ||= certName === "quiet" && String(msg).startsWith("Handshake message received");
        hasDetail ||= String(level).toLowerCase() === "debug";
        if (hasHandshake && hasDetail) break;
      }
      over.abort();
      expect([hasHandshake, hasDetail]).toEqual([true, true]);
    });

    it("ends the stream when the time is up", async () => {
      const levels: string[] = [];
      for await (const { level } of streamLogs({ durationSeconds: 2, level: "info" }))
        levels.push(String(level).toLowerCase());
      expect(levels.length).toBeGreaterThan(0);
      expect(levels).not.toContain("debug");
    });

    it("shows a tunnel it was told to make, and that there is none to nowhere", async () => {
      await until("there is a tunnel", async () => typeof (await print("PrintTunnel", quiet)) === "object");
      const underlay = { ip: quiet.machine.address, port: expect.any(Number) as number };
      expect(await print("PrintTunnel", quiet)).toMatchObject({
        vpnIp: quiet.address,
        currentRemote: underlay,
        remoteAddrs: [underlay],
        cert: { details: { name: "quiet", groups: [`role:${roleID}`] } },
        localIndex: expect.any(Number) as number,
        remoteIndex: expect.any(Number) as number,
        messageCounter: expect.any(Number) as number,
        currentRelaysToMe: [],
        currentRelaysThroughMe: [],
      });
      const target = "100.100.3.3";
      expect(await ask(server, { command: "PrintCert", args: { target } })).toMatch(/^Could not find tunnel/);
    });

    it("says where it finds another", async () => {
      const answer = await ask(server, { command: "QueryLighthouse", args: { target: quiet.address } });
      const [known] = Object.values(answer as Record<string, { learned?: object[]; reported?: object[] }>);
      const addresses = [...(known?.learned ?? []), ...(known?.reported ?? [])];
      expect(addresses).toContainEqual({ ip: quiet.machine.address, port: expect.any(Number) as number });
    });

    it("shows what its nebula is at", async () => {
      const [pid] = await server.nebulaPids();
      expect(await ask(server, { command: "DebugStack" })).toMatch(
        new RegExp(`^nebula, process ${pid}, \\d+ threads\n`),
      );
    });

    async function* streamLogs(
      args: Extract<HostCommand, { command: "StreamLogs" }>["args"],
      signal?: AbortSignal,
    ): AsyncGenerator<Record<string, unknown>> {
      const { userToken, authToken } = testNetwork.account;
      const path = pathOf(runHostCommand, { params: { hostID: server.id } });
      const response = await fetch(new URL(path, testNetwork.server.url), {
        method: "POST",
        headers: { authorization: `Bearer ${userToken} ${authToken}` },
        body: JSON.stringify({ command: "StreamLogs", args }),
        ...(signal && { signal }),
      });
      expect(response.headers.get("content-type")).toBe("application/x-ndjson");
      let rest = "";
      for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) {
          const { data } = JSON.parse(line) as { data: string };
          yield JSON.parse(data) as Record<string, unknown>;
        }
      }
      expect(rest).toBe("");
    }
  });
});
