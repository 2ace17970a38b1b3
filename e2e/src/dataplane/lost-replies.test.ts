import { createEnrollmentCode, listHostsV2, updateHostV3 } from "@lightkeeper/contract";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { runStatement } from "../database.ts";
import { sendAsHost } from "./send-as-host.ts";
import type { Delivery, Message } from "./control-plane-proxy.ts";
import type { HostState, OverlayHost } from "./overlay-host.ts";
import { until } from "../until.ts";
import { PingableNetwork } from "./pingable-network.ts";
import { selectVersions } from "./select-cases.ts";
import type { TestNetwork } from "./test-network.ts";
import { describeStories } from "../story.ts";

const isEnrollment = ({ path }: Message) => path === "/v2/enroll";

describeStories(selectVersions("1.6.1"), "a host with nebula %s", (version) => {
  let network: PingableNetwork;
  let testNetwork: TestNetwork;
  let roleID: string;
  let lighthouse: OverlayHost;
  let host: OverlayHost;

  beforeAll(async () => {
    network = await PingableNetwork.create(version, inject("server"));
    ({ testNetwork, roleID, lighthouse } = network);
  });
  afterAll(() => testNetwork.remove());

  /** Loses the next matching messages; returns a function that counts them. */
  function lose(times: number, delivery: Delivery, matches: (message: Message) => boolean): () => number {
    let count = 0;
    testNetwork.proxy.decideDelivery = (message) => {
      if (count >= times || !matches(message)) return "delivered";
      count += 1;
      return delivery;
    };
    return () => count;
  }

  /** Loses the next replies that contain the host's rules; returns a function that counts them. */
  function loseRules(times: number): () => number {
    let count = 0;
    testNetwork.proxy.decideReply = ({ hostID }, { hasUpdate }) => {
      if (count >= times || hostID !== host.id || !hasUpdate) return "delivered";
      count += 1;
      return "lost";
    };
    return () => count;
  }

  const ofHost = (type: string) => (message: Message) => message.hostID === host.id && message.type === type;

  const rename = () => {
    network.port += 1;
    const body = { name: `renamed-${network.port}`, roleID };
    return testNetwork.call(updateHostV3, { params: { hostID: host.id }, body });
  };

  const isNamed = (name: string) => {
    const base64 = host.state().intended.certificate.replace(/-----[^-]+-----/g, "");
    return Buffer.from(base64, "base64").includes(name);
  };

  const checkAs = (state: HostState) =>
    sendAsHost({ server: testNetwork.server.url, nebulaVersion: version }, state, "CheckForUpdate");

  /** The host is in sync, its credentials are valid, and it's reachable. */
  async function expectHealthy(): Promise<void> {
    await until("no host is drifted", async () => {
      const { data } = await testNetwork.call(listHostsV2, { query: { "filter.status": "drifted" } });
      return data.length === 0;
    });
    await until("the keys are valid and there is no update", async () => {
      const reply = await checkAs(host.state());
      return reply.status === 200 && JSON.stringify(reply.data) === '{"updateAvailable":false}';
    });
    await until("it is reached", () => lighthouse.probe.ping(host.address));
    expect(host.output()).not.toContain("enrolled again");
  }

  it("enrolls with the same code if its request was lost", async () => {
    const created = await testNetwork.createHost("host", { roleID });
    host = created.host;
    lose(1, "lost", isEnrollment);
    await expect(host.enroll(created.code)).rejects.toThrow("may have been used");
    await host.enroll(created.code);
    host.start();
    await until("its agent is up", () => host.hasFile("status.json"));
    await expectHealthy();
  });

  it("enrolls with a new code if the reply was lost, and the certificate in the reply is revoked", async () => {
    const { code } = await testNetwork.call(createEnrollmentCode, { params: { hostID: host.id } });
    lose(1, "reply lost", isEnrollment);
    await expect(host.enroll(code, "--force")).rejects.toThrow("may have been used");
    await expect(host.enroll(code, "--force")).rejects.toThrow("Invalid enrollment code");
    const another = await testNetwork.call(createEnrollmentCode, { params: { hostID: host.id } });
    await host.enroll(another.code, "--force");
    const revoked = "select from host_certificates where host_id = $1 and revoked_at is not null";
    // The previous certificate, and the certificate in the lost reply.
    expect(await runStatement(testNetwork.server.dataDir, revoked, [host.id])).toBe(2);
    await expectHealthy();
  });

  it.each([1, 3])("gets its rules even if the reply with them is lost: %d ×", async (times) => {
    const lostCount = loseRules(times);
    await network.openNextPort(host);
    await until("the port is open", () => network.isOpen(host), { seconds: 90 });
    expect(lostCount()).toBe(times);
    await expectHealthy();
  });

  it.each([
    { times: 1, delivery: "lost" },
    { times: 1, delivery: "reply lost" },
    { times: 3, delivery: "reply lost" },
  ] as const)(
    "gets its certificate even if DoUpdate fails: $times × $delivery",
    async ({ times, delivery }) => {
      const lostCount = lose(times, delivery, ofHost("DoUpdate"));
      const { name } = await rename();
      await until("it has the certificate", () => isNamed(name), { seconds: 90 });
      expect(lostCount()).toBe(times);
      await expectHealthy();
    },
  );

  it.each(["lost", "reply lost"] as const)(
    "gets its rules even if LongPollWait fails: 2 × %s",
    async (delivery) => {
      const lostCount = lose(2, delivery, ofHost("LongPollWait"));
      // Ends the current poll, so that the next polls are lost.
      await network.openNextPort(host);
      await until("a poll is lost", () => lostCount() > 0);
      await network.openNextPort(host);
      await until("the port is open", () => network.isOpen(host), {
        seconds: 90,
      });
      await expectHealthy();
    },
  );

  it("reports its configuration even if ReportStatus fails: 2 × reply lost, 2 × lost", async () => {
    for (const delivery of ["reply lost", "lost"] as const) {
      const lostCount = lose(2, delivery, ofHost("ReportStatus"));
      await network.openNextPort(host);
      await until("a report is lost", () => lostCount() > 0);
      await expectHealthy();
    }
  });

  it("can use its previous key until it has used the new key", async () => {
    const before = host.state();
    const lostCount = loseRules(Infinity);
    await network.openNextPort(host);
    await until("a reply is lost", () => lostCount() > 1);
    expect(await checkAs(before)).toEqual({
      status: 200,
      data: { updateAvailable: true },
    });
    testNetwork.proxy.decideReply = () => "delivered";
    await until("it has new keys", () => host.state().counter > before.counter, { seconds: 90 });
    await expectHealthy();
    expect(await checkAs(before)).toMatchObject({ status: 401 });
  });
});
