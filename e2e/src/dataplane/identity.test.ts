/** A host's name and groups, as seen by its peers, and debug commands. */
import {
  createRole,
  createTag,
  type HostCommand,
  pathOf,
  runHostCommand,
  updateHostV3,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { OverlayHost } from "./overlay-host.ts";
import { type PeerCertificate, readPeerCertificate } from "./read-peer-certificate.ts";
import { until } from "../until.ts";
import { selectVersions } from "./select-cases.ts";
import { TestNetwork } from "./test-network.ts";
import { describeStories } from "../story.ts";

const PORT = 8080;

describeStories(selectVersions("1.6.1"), "with nebula %s", (version) => {
  let testNetwork: TestNetwork;
  let roleID: string;
  let lighthouse: OverlayHost;
  let server: OverlayHost;
  let client: OverlayHost;
  /** Has a tunnel to the lighthouse only, until a test creates one. */
  let quiet: OverlayHost;

  beforeAll(async () => {
    testNetwork = await TestNetwork.create(version, inject("server"));
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

  const runCommand = (host: OverlayHost, body: HostCommand) =>
    testNetwork.call(runHostCommand, { params: { hostID: host.id }, body });
  const change = (host: OverlayHost, body: { name?: string; tags?: string[] }) =>
    testNetwork.call(updateHostV3, { params: { hostID: host.id }, body: { roleID, ...body } });
  const isAllowed = () => client.probe.reach("tcp", server.address, PORT);
  const seenByServer = () => readPeerCertificate(testNetwork.call, server, client.address);
  /**
   * After a new certificate, nebula creates another tunnel when traffic flows, and alternates between both for a while:
   * so the condition must be true several times in a row.
   */
  async function untilSettled(
    description: string,
    condition: (certificate: PeerCertificate, isClientAllowed: boolean) => boolean,
  ) {
    let [certificate, inARow] = [await seenByServer(), 0];
    const check = async () => {
      await client.probe.ping(server.address);
      const isClientAllowed = await isAllowed();
      certificate = await seenByServer();
      inARow = condition(certificate, isClientAllowed) ? inARow + 1 : 0;
      return inARow === 3;
    };
    await until(description, check, { seconds: 120 });
    return certificate;
  }

  describe("a peer", () => {
    let first: PeerCertificate;

    it("sees a host's certificate", async () => {
      // Packets flow before the agent considers nebula started.
      await until("the debug console replies", async () => (await seenByServer()).details !== undefined);
      first = await seenByServer();
      expect(first).toMatchObject({
        details: { name: "client", groups: [`role:${roleID}`], ips: [`${client.address}/22`] },
      });
      expect(await isAllowed()).toBe(false);
    });

    it("sees a new certificate when the host is renamed and tagged, and rules for the tag apply", async () => {
      await change(client, { name: "renamed", tags: ["team:web"] });
      const now = await untilSettled(
        "the client is allowed with its new name",
        ({ details }, isClientAllowed) => isClientAllowed && details?.name === "renamed",
      );
      expect(now.details?.groups).toEqual([`role:${roleID}`, "tag:team:web"]);
      expect(now.fingerprint).not.toBe(first.fingerprint);
      const tunnel = await runCommand(server, { command: "PrintTunnel", args: { target: client.address } });
      expect(tunnel).toMatchObject({ vpnIp: client.address, cert: { fingerprint: now.fingerprint } });
    });

    it("rejects new connections when the tag is removed; nebula keeps open connections", async () => {
      const connection = await client.probe.openConnection(server.address, PORT);
      await change(client, { tags: [] });
      const now = await untilSettled(
        "the client has no tag and isn't allowed",
        ({ details }, isClientAllowed) => !isClientAllowed && details?.groups.join() === `role:${roleID}`,
      );
      expect(now.details?.name).toBe("renamed");
      // Nebula checks open connections again when rules change, but not when the peer's certificate does.
      await until("the open connection is alive", () => connection.isAlive());
    });
  });

  describe("a debug command", () => {
    const print = (command: "PrintTunnel" | "PrintCert", { address }: OverlayHost) =>
      runCommand(server, { command, args: { target: address } });

    it("streams the log at the requested level", async () => {
      const abort = new AbortController();
      const lines = streamLogs({ durationSeconds: 600, level: "debug" }, abort.signal);
      const first = await lines.next();
      expect(first.value).toMatchObject({ durationSeconds: 600, msg: "Log streaming session started" });
      expect(await print("PrintTunnel", quiet)).toMatch(/^Could not find tunnel/);
      expect(await runCommand(server, { command: "CreateTunnel", args: { target: quiet.address } })).toBe(
        "Created",
      );
      let [hasHandshake, hasDetail] = [false, false];
      for await (const { level, msg, certName } of lines) {
        hasHandshake ||= certName === "quiet" && String(msg).startsWith("Handshake message received");
        hasDetail ||= String(level).toLowerCase() === "debug";
        if (hasHandshake && hasDetail) break;
      }
      abort.abort();
      expect([hasHandshake, hasDetail]).toEqual([true, true]);
    });

    it("ends the log stream after the requested time", async () => {
      const levels: string[] = [];
      for await (const { level } of streamLogs({ durationSeconds: 2, level: "info" }))
        levels.push(String(level).toLowerCase());
      expect(levels.length).toBeGreaterThan(0);
      expect(levels).not.toContain("debug");
    });

    it("shows a tunnel that it created, and reports a missing tunnel", async () => {
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
      expect(await runCommand(server, { command: "PrintCert", args: { target } })).toMatch(
        /^Could not find tunnel/,
      );
    });

    it("shows the addresses of another host", async () => {
      const result = await runCommand(server, {
        command: "QueryLighthouse",
        args: { target: quiet.address },
      });
      const [known] = Object.values(result as Record<string, { learned?: object[]; reported?: object[] }>);
      const addresses = [...(known?.learned ?? []), ...(known?.reported ?? [])];
      expect(addresses).toContainEqual({ ip: quiet.machine.address, port: expect.any(Number) as number });
    });

    it("shows the threads of nebula", async () => {
      const [pid] = await server.nebulaPids();
      expect(await runCommand(server, { command: "DebugStack" })).toMatch(
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
