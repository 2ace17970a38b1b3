/** Packets are filtered by the rules of roles and tags. */
import { createRole, createTag, type FirewallRule, updateRole, updateTag } from "@lightkeeper/contract";
import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import type { OverlayHost } from "./overlay-host.ts";
import type { Protocol } from "./probe.ts";
import { until } from "../until.ts";
import { selectVersions } from "./select-cases.ts";
import { TestNetwork } from "./test-network.ts";
import { describeStories } from "../story.ts";

type Rule = Partial<FirewallRule> & Pick<FirewallRule, "protocol">;
type Port = `${Protocol} ${number}`;

const only = (port: number) => ({ from: port, to: port });
const numbers = [8001, 8002, 8003, 8004, 8005, 8099, 8100, 8105, 8110, 8111, 8200, 8300, 8400];
const triedPorts = numbers.flatMap((port): Port[] => [`tcp ${port}`, `udp ${port}`]);

/** Open to any host in these tests. */
const open: Port[] = ["udp 8100", "udp 8105", "udp 8110", "tcp 8200", "udp 8200"];

/** Tries all ports in parallel: if one replies, all other allowed ports would have replied too. */
async function reachable(from: OverlayHost, to: OverlayHost): Promise<Port[]> {
  const results = await Promise.all(
    triedPorts.map(async (port): Promise<Port[]> => {
      const [protocol, number] = port.split(" ") as [Protocol, string];
      return (await from.probe.reach(protocol, to.address, Number(number), 1500)) ? [port] : [];
    }),
  );
  return results.flat();
}

const sorted = (ports: Port[]) => ports.toSorted().join(", ");

describeStories(selectVersions("1.11.0"), "with nebula %s", (version) => {
  let testNetwork: TestNetwork;
  let roleID: string;
  let clientRoleID: string;
  let rules: Rule[];
  /** Has the role client and no tag. */
  let lighthouse: OverlayHost;
  /**
   * Has the role client and the tag team:web. No host may ping it: before 1.11, nebula can't distinguish a ping from its
   * reply, so a host can ping every host that has pinged it in the last ten minutes, whatever the rules.
   */
  let client: OverlayHost;
  /** Has no role, and the tags team:web and site:fra, which have no rules. */
  let tagged: OverlayHost;
  /** Has the role server and the tag env:prod, whose rules are tested. */
  let server: OverlayHost;

  beforeAll(async () => {
    testNetwork = await TestNetwork.create(version, inject("server"));
    const icmp: Rule = { protocol: "ICMP" };
    const clients = await testNetwork.call(createRole, { body: { name: "client", firewallRules: [icmp] } });
    clientRoleID = clients.id;
    for (const name of ["team:web", "site:fra", "env:prod"])
      await testNetwork.call(createTag, { body: { name } });
    rules = [
      icmp,
      { protocol: "TCP", portRange: only(8001), allowedRoleID: clientRoleID, allowedTags: ["team:web"] },
      { protocol: "TCP", portRange: only(8002), allowedRoleID: clientRoleID },
      { protocol: "TCP", portRange: only(8003), allowedTags: ["team:web"] },
      { protocol: "TCP", portRange: only(8004), allowedRoleID: clientRoleID, allowedTags: ["team:web"] },
      { protocol: "TCP", portRange: only(8004), allowedTags: ["site:fra"] },
      { protocol: "TCP", portRange: only(8005), allowedTags: ["team:web", "site:fra"] },
      { protocol: "UDP", portRange: { from: 8100, to: 8110 } },
      { protocol: "ANY", portRange: only(8200) },
    ];
    roleID = (await testNetwork.call(createRole, { body: { name: "server", firewallRules: rules } })).id;
    await setTagRules({ protocol: "TCP", portRange: only(8300), allowedRoleID: clientRoleID });
    lighthouse = await testNetwork.addHost("lighthouse", {
      isLighthouse: true,
      isStatic: true,
      roleID: clientRoleID,
    });
    client = await testNetwork.addHost("client", { roleID: clientRoleID, tags: ["team:web"] });
    tagged = await testNetwork.addHost("tagged", { tags: ["team:web", "site:fra"] });
    server = await testNetwork.addHost("server", { roleID, tags: ["env:prod"] });
    await testNetwork.startHosts(lighthouse);
    for (const host of [server, tagged])
      await Promise.all(
        numbers.flatMap((port) => [host.probe.serve("tcp", port), host.probe.serve("udp", port)]),
      );
    for (const host of [lighthouse, client, tagged])
      await until(`${host.machine.name} reaches the server`, () => host.probe.ping(server.address));
  });
  afterAll(() => testNetwork.remove());

  const setRules = (...more: Rule[]) =>
    testNetwork.call(updateRole, { params: { roleID }, body: { firewallRules: [...rules, ...more] } });
  const setTagRules = (...firewallRules: Rule[]) =>
    testNetwork.call(updateTag, { params: { tag: "env:prod" }, body: { firewallRules } });
  const opens = (host: OverlayHost, port: number) =>
    until(`${host.machine.name} reaches port ${port}`, () => host.probe.reach("tcp", server.address, port));
  const closes = (host: OverlayHost, port: number) =>
    until(
      `${host.machine.name} no longer reaches port ${port}`,
      async () => !(await host.probe.reach("tcp", server.address, port)),
    );

  it("a host accepts exactly the traffic that the rules of its role and tags allow", async () => {
    const expected = new Map<OverlayHost, Port[]>([
      [client, ["tcp 8001", "tcp 8002", "tcp 8003", "tcp 8004", "tcp 8300"]],
      [lighthouse, ["tcp 8002", "tcp 8300"]],
      [tagged, ["tcp 8003", "tcp 8004", "tcp 8005"]],
    ]);
    // Retried, because replies may be late on a busy machine; blocked ports never reply.
    for (const [host, ports] of expected)
      await vi.waitFor(
        async () => expect(sorted(await reachable(host, server))).toBe(sorted([...ports, ...open])),
        { timeout: 30_000 },
      );
  });

  it("a host without rules accepts no inbound traffic, but can reach others", async () => {
    expect(await tagged.probe.ping(server.address)).toBe(true);
    expect(await client.probe.ping(tagged.address)).toBe(false);
    for (const host of [client, lighthouse, server]) expect(await reachable(host, tagged)).toEqual([]);
  });

  it("an edited role opens and closes ports on running hosts, without a restart", async () => {
    const pids = await server.nebulaPids();
    expect(pids).toHaveLength(1);
    expect(await client.probe.reach("tcp", server.address, 8400)).toBe(false);
    await setRules({ protocol: "TCP", portRange: only(8400), allowedRoleID: clientRoleID });
    await opens(client, 8400);
    await opens(lighthouse, 8400);
    expect(await tagged.probe.reach("tcp", server.address, 8400)).toBe(false);
    await setRules();
    await closes(client, 8400);
    await closes(lighthouse, 8400);
    expect(await server.nebulaPids()).toEqual(pids);
  });

  it("a connection that is no longer allowed stalls, and a connection that is still allowed continues", async () => {
    const rule: Rule = { protocol: "TCP", portRange: only(8400) };
    await setRules(rule);
    await opens(client, 8400);
    const closed = await client.probe.openConnection(server.address, 8400);
    const allowed = await client.probe.openConnection(server.address, 8002);
    expect(await closed.isAlive()).toBe(true);
    await setRules();
    await until("the connection stalls", async () => !(await closed.isAlive()));
    expect(await Promise.all([closed.isAlive(2000), allowed.isAlive(2000)])).toEqual([false, true]);
    // Nebula drops packets silently, so the connection continues after a pause.
    await setRules(rule);
    await until("the connection continues", () => closed.isAlive());
    await setRules();
  });

  it("an edited tag opens and closes ports on running hosts", async () => {
    await setTagRules({ protocol: "TCP", portRange: only(8400), allowedTags: ["site:fra"] });
    await opens(tagged, 8400);
    await closes(client, 8300);
    expect(await client.probe.reach("tcp", server.address, 8400)).toBe(false);
    await setTagRules();
    await closes(tagged, 8400);
  });

  it("a role without rules blocks everything, including pings", async () => {
    await testNetwork.call(updateRole, { params: { roleID }, body: { firewallRules: [] } });
    await until("pings are blocked", async () => !(await client.probe.ping(server.address)));
    for (const host of [client, lighthouse, tagged]) expect(await reachable(host, server)).toEqual([]);
  });
});
