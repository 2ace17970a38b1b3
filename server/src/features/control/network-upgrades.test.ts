import { createHash } from "node:crypto";
import {
  blockHostV2,
  createNetworkV2,
  finishNetworkUpgrade,
  getHostV2,
  getNetworkUpgrade,
  getNetworkV2,
  listAuditLogs,
  listCertificateAuthorities,
  listHostsV2,
  type NetworkUpgrade,
  NotFoundError,
  revertNetworkUpgrade,
  rotateCa,
  upgradeNetwork,
} from "@lightkeeper/contract";
import {
  decodeCertificateV1,
  decodeCertificateV2,
  decodePem,
  formatIpPrefix,
  splitPemBlocks,
} from "@lightkeeper/nebula";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { joinAs } from "../../testing/members.ts";
import { errorCodesOf, errorsOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { TestAgent } from "../../testing/test-agent.ts";
import { stepUpgrades } from "./network-upgrades.service.ts";

const userAgent = (nebula: string) => `lightkeeper-agent/1.0.0 (linux; arm64) nebula/${nebula}`;
const CIDR = "fd77::/64";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
let agents: TestAgent[];
beforeAll(async () => {
  server = await startTestServer({ agentPollMs: 50 });
});
beforeEach(async () => {
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
  agents = [];
  for (const name of ["one", "two"]) {
    const agent = await TestAgent.enrollHost(
      server.url,
      owner,
      (await fleet.add({ name })).id,
      userAgent("1.11.0"),
    );
    await reportStatus(agent);
    agents.push(agent);
  }
});
afterAll(() => server.close());

const params = () => ({ networkID: fleet.networkID });
const start = (body: { force?: boolean; cidr?: string } = { cidr: CIDR }, { call } = owner) =>
  call(upgradeNetwork, { params: params(), body });
const finish = ({ call } = owner) => call(finishNetworkUpgrade, { params: params() });
const revert = ({ call } = owner) => call(revertNetworkUpgrade, { params: params() });
const read = () => owner.call(getNetworkUpgrade, { params: params() });
const stepOf = async () => (await read())?.step;
const step = () => stepUpgrades(server.ctx);
const network = () => owner.call(getNetworkV2, { params: params() });
const caStates = async () => {
  const query = { "filter.networkID": fleet.networkID };
  const { data } = await owner.call(listCertificateAuthorities, { query });
  return data.map(({ certVersion, state }) => `${certVersion} ${state}`);
};

async function reportStatus(agent: TestAgent, nebulaVersion = "1.11.0"): Promise<void> {
  const configHash = createHash("sha256").update(agent.state.config).digest("hex");
  await agent.report({ configHash, nebulaVersion });
}

/** Fetches, uses and reports the offered update. */
async function applyUpdate(agent: TestAgent): Promise<string> {
  const { command } = (await agent.poll()).action;
  if (command === "NoOp") return command;
  await agent.update(command as "DoUpdate");
  await agent.hasUpdate();
  await reportStatus(agent);
  return command;
}
const applyAll = async () => {
  const commands = new Set<string>();
  for (const agent of agents) commands.add(await applyUpdate(agent));
  return [...commands].join();
};
/** Simulates the time in which tunnels are renewed. */
const renewTunnels = () =>
  server.query("update host_certificates set superseded_at = superseded_at - interval '75 seconds'");

/** The networks in each certificate of the agent, by version. */
const networksIn = ({ state }: TestAgent) =>
  (splitPemBlocks(state.certificate) ?? []).map((pem) =>
    pem.includes("CERTIFICATE V2")
      ? decodeCertificateV2(decodePem("NEBULA CERTIFICATE V2", pem)).details.networks.map(formatIpPrefix)
      : decodeCertificateV1(decodePem("NEBULA CERTIFICATE", pem)).details.networks.length,
  );

/** Takes the steps before this one, as the hosts report. */
async function reach(wanted: NetworkUpgrade["step"]): Promise<void> {
  await start();
  for (let count = 0; (await stepOf()) !== wanted; count++) {
    if (count > 10) throw new Error(`The upgrade doesn't reach ${wanted}`);
    await step();
    await applyAll();
  }
}

describe("an upgrade", () => {
  it("gives every host both certificates, then only the new one, each after all hosts are ready", async () => {
    expect(await read()).toBeNull();
    expect(await start()).toMatchObject({ step: "NEBULA", cidr: CIDR, canRevert: true, canFinish: false });
    await step();
    expect(await read()).toMatchObject({ step: "TRUST", waitingFor: { hostCount: 2 } });
    expect(await caStates()).toEqual(["1 SIGNING", "2 PENDING"]);
    expect(await applyUpdate(agents[0]!)).toBe("DoConfigUpdate");
    await step();
    expect((await read())?.waitingFor.hosts.map(({ name }) => name)).toEqual(["two"]);
    expect(await applyUpdate(agents[1]!)).toBe("DoConfigUpdate");
    expect((await network()).cidrs).toHaveLength(1);

    await step();
    expect(await read()).toMatchObject({ step: "BOTH", waitingFor: { hostCount: 2 } });
    expect((await network()).cidrs).toEqual([expect.any(String), CIDR]);
    expect(await applyAll()).toBe("DoUpdate");
    expect(agents.map(networksIn)).toEqual([
      [1, ["100.100.0.1/22", "fd77::1/64"]],
      [1, ["100.100.0.2/22", "fd77::2/64"]],
    ]);
    expect(agents[0]!.state.config).not.toContain("initiating_version");

    await step();
    expect(await stepOf()).toBe("INITIATE");
    expect(await applyAll()).toBe("DoConfigUpdate");
    expect(agents[0]!.state.config).toContain("initiating_version: 2");
    await step();
    expect(await read()).toMatchObject({ step: "INITIATE", canFinish: true, canRevert: true });
    expect((await network()).certVersion).toBe(1);

    expect(await finish()).toMatchObject({ step: "ONLY", canFinish: false, canRevert: false });
    expect(await network()).toMatchObject({ certVersion: 2 });
    expect(await caStates()).toEqual(["1 TRUSTED", "2 SIGNING"]);
    expect(await applyAll()).toBe("DoUpdate");
    expect(agents.map(networksIn)).toEqual([
      [["100.100.0.1/22", "fd77::1/64"]],
      [["100.100.0.2/22", "fd77::2/64"]],
    ]);
    expect(agents[0]!.state.config).not.toContain("initiating_version");
    await step();
    expect(await stepOf()).toBe("ONLY");
    await renewTunnels();
    await step();
    expect(await stepOf()).toBe("DONE");
    expect(await caStates()).toEqual(["1 RETIRED", "2 SIGNING"]);
    expect(await applyAll()).toBe("DoConfigUpdate");
    expect(await applyAll()).toBe("NoOp");
    expect(await errorsOf(start())).toMatchObject([
      { message: "the network already has version 2 certificates" },
    ]);
    const { data } = await owner.call(listAuditLogs, { query: { "filter.targetID": fleet.networkID } });
    const steps = data.flatMap(({ event }) => {
      const { upgrade } = (event.after ?? {}) as { upgrade?: { step: string } };
      return upgrade ? [upgrade.step] : [];
    });
    expect(steps.toReversed()).toEqual(["NEBULA", "TRUST", "BOTH", "INITIATE", "ONLY", "DONE"]);
  });

  it("waits for hosts with an older Nebula, and lists them with their version", async () => {
    await reportStatus(agents[1]!, "1.9.3");
    await start();
    await step();
    const waiting = await read();
    expect(waiting).toMatchObject({ step: "NEBULA", waitingFor: { hostCount: 1 } });
    expect(waiting?.waitingFor.hosts).toMatchObject([{ name: "two", nebulaVersion: "1.9.3" }]);
    const late = await fleet.add({ name: "late" });
    await expect(TestAgent.enrollHost(server.url, owner, late.id, userAgent("1.9.3"))).rejects.toThrow(
      "is being upgraded to version 2 certificates",
    );
    await reportStatus(agents[1]!, "1.10.0");
    await step();
    expect(await stepOf()).toBe("TRUST");
  });

  it("skips hosts that are offline if it is forced, and they catch up later", async () => {
    await reach("TRUST");
    const [online, offline] = agents as [TestAgent, TestAgent];
    await server.query("update hosts set is_online = (id = $1)", [online.state.hostID]);
    await start({ force: true });
    expect(await read()).toMatchObject({ isForced: true });
    await step();
    expect(await stepOf()).toBe("BOTH");
    expect(await applyUpdate(offline)).toBe("DoUpdate");
    expect(networksIn(offline)).toHaveLength(2);
  });

  it("gives both certificates to hosts that are created and enrolled meanwhile", async () => {
    await reach("BOTH");
    const host = await fleet.add({ name: "new" });
    expect(host.ipAddresses).toEqual(["100.100.0.3", "fd77::3"]);
    const agent = await TestAgent.enrollHost(server.url, owner, host.id, userAgent("1.11.0"));
    expect(networksIn(agent)).toEqual([1, ["100.100.0.3/22", "fd77::3/64"]]);
  });

  it("blocks both certificates of a host", async () => {
    await reach("INITIATE");
    const [one, two] = agents as [TestAgent, TestAgent];
    await owner.call(blockHostV2, { params: { hostID: two.state.hostID } });
    await applyUpdate(one);
    const fingerprints = () => new Set(one.state.config.match(/\b[0-9a-f]{64}\b/g)).size;
    // The first certificate, and the two that replaced it.
    expect(fingerprints()).toBe(3);
    agents = [one];
    await step();
    await finish();
    await applyAll();
    await renewTunnels();
    await step();
    await applyAll();
    expect(await stepOf()).toBe("DONE");
    expect(fingerprints()).toBe(1);
  });

  it("finds hosts by their new address, and no longer after it is reverted", async () => {
    await reach("BOTH");
    const search = async () =>
      (await owner.call(listHostsV2, { query: { "filter.search": "FD77:0::2" } })).data.map(
        ({ name }) => name,
      );
    expect(await search()).toEqual(["two"]);
    await revert();
    await applyAll();
    await step();
    expect(await search()).toEqual([]);
  });
});

describe("reverting an upgrade", () => {
  it.each(["NEBULA", "TRUST"] as const)("in the step %s is done immediately", async (wanted) => {
    await reach(wanted);
    expect(await revert()).toBeNull();
    expect(await read()).toBeNull();
    expect(await caStates()).toEqual(wanted === "TRUST" ? ["1 SIGNING", "2 RETIRED"] : ["1 SIGNING"]);
    expect((await network()).cidrs).toHaveLength(1);
  });

  it("takes the steps back in reverse order, each after all hosts are ready", async () => {
    await reach("INITIATE");
    expect(await revert()).toMatchObject({ step: "BOTH", isReverting: true, canRevert: false });
    await step();
    expect(await read()).toMatchObject({ step: "BOTH", waitingFor: { hostCount: 2 } });
    expect(await applyAll()).toBe("DoConfigUpdate");
    expect(agents[0]!.state.config).not.toContain("initiating_version");
    await step();
    expect(await read()).toMatchObject({ step: "TRUST", isReverting: true });
    expect(await applyAll()).toBe("DoUpdate");
    expect(agents.map(networksIn)).toEqual([[1], [1]]);
    await step();
    expect(await read()).toBeNull();
    expect(await caStates()).toEqual(["1 SIGNING", "2 RETIRED"]);
    expect(await network()).toMatchObject({ certVersion: 1, cidrs: ["100.100.0.0/22"] });
    const hostID = agents[0]!.state.hostID;
    const host = await owner.call(getHostV2, { params: { hostID } });
    expect(host.ipAddresses).toEqual(["100.100.0.1"]);
    expect(await applyAll()).toBe("DoConfigUpdate");
    expect(await applyAll()).toBe("NoOp");
    await reach("BOTH");
  });

  it("is impossible in the last step, and without an upgrade", async () => {
    expect(await errorsOf(revert())).toMatchObject([{ message: "the network isn't being upgraded" }]);
    expect(await errorsOf(finish())).toMatchObject([{ message: "the network isn't being upgraded" }]);
    await reach("INITIATE");
    await step();
    await finish();
    expect(await errorsOf(revert())).toMatchObject([{ code: "ERR_INVALID_VALUE" }]);
    expect(await finish()).toMatchObject({ step: "ONLY" });
  });
});

describe("requests for an upgrade", () => {
  it("are rejected with an invalid range, for a network that has version 2, and while a CA is rotated", async () => {
    for (const [cidr, code] of [
      ["10.0.0.0/24", "ERR_INVALID_VALUE"],
      ["fd77::/32", "ERR_INVALID_CIDR_MASK_SIZE"],
      ["fe80::/64", "ERR_INVALID_VALUE"],
      ["x", "ERR_INVALID_VALUE"],
    ] as const)
      expect(await errorsOf(start({ cidr }))).toMatchObject([{ code, path: "cidr" }]);
    const v2 = await owner.call(createNetworkV2, {
      body: { name: "v2", certVersion: 2, cidrs: ["fd78::/64"] },
    });
    expect(await errorsOf(start({ cidr: "fd78::/80" }))).toMatchObject([{ path: "cidr" }]);
    const already = owner.call(upgradeNetwork, { params: { networkID: v2.id }, body: {} });
    expect(await errorCodesOf(already)).toEqual(["ERR_INVALID_VALUE"]);
    await owner.call(rotateCa, { params: params(), body: {} });
    expect(await errorCodesOf(start())).toEqual(["ERR_INVALID_VALUE"]);
    expect(await read()).toBeNull();
  });

  it("keep a rotation from starting, and are allowed only to administrators of the organization", async () => {
    const auditor = await joinAs(server, owner, "auditor");
    expect(await errorCodesOf(start({}, auditor))).toEqual(["ERR_FORBIDDEN"]);
    await expect(start({}, await server.signUp())).rejects.toThrow(NotFoundError);
    expect(await read()).toBeNull();
    await start();
    expect(await errorCodesOf(finish(auditor))).toEqual(["ERR_FORBIDDEN"]);
    expect(await errorCodesOf(revert(auditor))).toEqual(["ERR_FORBIDDEN"]);
    expect(await errorCodesOf(finish())).toEqual(["ERR_INVALID_VALUE"]);
    expect(await errorCodesOf(owner.call(rotateCa, { params: params(), body: {} }))).toEqual([
      "ERR_INVALID_VALUE",
    ]);
  });

  it("start one upgrade if they are sent at the same time, and each step is taken once", async () => {
    const started = await Promise.all(Array.from({ length: 10 }, () => start()));
    expect(new Set(started.map(({ startedAt }) => startedAt)).size).toBe(1);
    const { data } = await owner.call(listAuditLogs, { query: { "filter.targetID": fleet.networkID } });
    expect(data.filter(({ event }) => event.type === "UPDATED")).toHaveLength(1);
    await Promise.all(Array.from({ length: 10 }, () => step()));
    expect(await stepOf()).toBe("TRUST");
    expect(await caStates()).toEqual(["1 SIGNING", "2 PENDING"]);
  });
});
