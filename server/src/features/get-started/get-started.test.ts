import { blockHostV2, getGetStarted, type HostV2 } from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { insertApiKey } from "../../testing/api-keys.ts";
import { errorCodesOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { TestAgent } from "../../testing/test-agent.ts";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(async () => {
  owner = await server.signUp();
});
afterAll(() => server.close());

const progress = () => owner.call(getGetStarted);
const enroll = ({ id }: HostV2) => TestAgent.enrollHost(server.url, owner, id);
const addLighthouse = () =>
  fleet.add({ isLighthouse: true, listenPort: 4242, staticAddresses: ["192.0.2.1:4242"] });
const tunnelsTo = (...hosts: HostV2[]) => hosts.map(({ ipAddresses: [vpnIp = ""] }) => ({ vpnIp }));

const nothing = {
  hasNetwork: false,
  hasLighthouse: false,
  hasEnrolledLighthouse: false,
  enrolledHostCount: 0,
  hasTunnel: false,
};

describe("the progress of an organization", () => {
  it("advances from nothing to a tunnel between two hosts", async () => {
    expect(await progress()).toEqual(nothing);
    fleet = await createFleet(server, owner);
    expect(await progress()).toEqual({ ...nothing, hasNetwork: true });
    const lighthouse = await addLighthouse();
    expect(await progress()).toEqual({ ...nothing, hasNetwork: true, hasLighthouse: true });
    await enroll(lighthouse);
    const begun = { ...nothing, hasNetwork: true, hasLighthouse: true, hasEnrolledLighthouse: true };
    expect(await progress()).toEqual(begun);
    const [one, two] = [await fleet.add(), await fleet.add()];
    expect(await progress()).toEqual(begun);
    const agent = await enroll(one);
    expect(await progress()).toEqual({ ...begun, enrolledHostCount: 1 });
    await enroll(two);
    expect(await progress()).toEqual({ ...begun, enrolledHostCount: 2 });
    const report = (tunnels: { vpnIp: string }[]) => agent.report({ configHash: "0", tunnels });
    await report([...tunnelsTo(lighthouse), { vpnIp: "no address" }]);
    expect(await progress()).toMatchObject({ hasTunnel: false });
    await report(tunnelsTo(lighthouse, two));
    expect(await progress()).toEqual({ ...begun, enrolledHostCount: 2, hasTunnel: true });
  });

  it("ignores tunnels to the lighthouse, to the host itself and to another network", async () => {
    fleet = await createFleet(server, owner, "10.1.0.0/24");
    const [one, two] = [await fleet.add(), await fleet.add()];
    const other = await createFleet(server, owner, "10.2.0.0/24");
    const elsewhere = await other.add();
    const agent = await enroll(one);
    for (const host of [two, elsewhere]) await enroll(host);
    await agent.report({ configHash: "0", tunnels: tunnelsTo(one, elsewhere) });
    expect(await progress()).toMatchObject({ enrolledHostCount: 3, hasTunnel: false });
  });

  it("does not count hosts that are blocked", async () => {
    fleet = await createFleet(server, owner);
    const host = await fleet.add();
    await enroll(host);
    await owner.call(blockHostV2, { params: { hostID: host.id } });
    expect(await progress()).toMatchObject({ enrolledHostCount: 0 });
  });

  it("covers one organization, and is available to people, not to API keys", async () => {
    fleet = await createFleet(server, owner);
    await enroll(await addLighthouse());
    const stranger = await server.signUp();
    expect(await stranger.call(getGetStarted)).toEqual(nothing);
    const { token } = await insertApiKey(server, owner, ["hosts:list"]);
    expect(await errorCodesOf(server.client(token)(getGetStarted))).toEqual(["ERR_FORBIDDEN"]);
    expect(await errorCodesOf(server.client()(getGetStarted))).toEqual(["ERR_UNAUTHORIZED"]);
  });
});
