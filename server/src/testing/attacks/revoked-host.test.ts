/** Every way in which a host could return after it was revoked, such as those of CVE-2026-61699 and GHSA-339v. */
import {
  blockHostV2,
  createEnrollmentCode,
  deleteHost,
  type HostV2,
  rotateCa,
  unblockHostV2,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { stepRotations } from "../../features/control/ca-rotations.service.ts";
import { createFleet, type Fleet } from "../fleet.ts";
import { errorCodesOf } from "../request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../server.ts";
import { enrollBody, post, TestAgent } from "../test-agent.ts";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
let witness: TestAgent;
beforeAll(async () => {
  server = await startTestServer({ agentPollMs: 50 });
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
  witness = await TestAgent.enrollHost(server.url, owner, (await fleet.add({ name: "witness" })).id);
});
afterAll(() => server.close());

let host: HostV2;
let agent: TestAgent;
let unusedCode: string;
beforeEach(async () => {
  host = await fleet.add();
  agent = await TestAgent.enrollHost(server.url, owner, host.id);
  unusedCode = (await owner.call(createEnrollmentCode, { params: { hostID: host.id } })).code;
});

const params = () => ({ params: { hostID: host.id } });
const revoke = {
  blocked: () => owner.call(blockHostV2, params()),
  deleted: () => owner.call(deleteHost, params()),
};
const fingerprintsOf = async () =>
  (
    await server.query<{ fingerprint: string }>(
      "select fingerprint from host_certificates where network_id = $1 and host_id = $2",
      [fleet.networkID, host.id],
    )
  ).map(({ fingerprint }) => fingerprint);
const enroll = async (code: string) =>
  (await post(`${server.url}/v2/enroll`, JSON.stringify(enrollBody(code)))).status;
async function expectListed(fingerprints: readonly string[]): Promise<void> {
  await witness.update("DoConfigUpdate");
  const [blocklist = ""] = /blocklist:.*?\n {2}disconnect/s.exec(witness.state.config) ?? [];
  for (const fingerprint of fingerprints) expect(blocklist).toContain(fingerprint);
}

describe.each(["blocked", "deleted"] as const)("a host that was %s", (how) => {
  it("has its certificates on the blocklist that other hosts run", async () => {
    const fingerprints = await fingerprintsOf();
    expect(fingerprints).toHaveLength(1);
    await revoke[how]();
    await expectListed(fingerprints);
  });

  it("can't poll, renew or report with its keys", async () => {
    await revoke[how]();
    for (const type of ["CheckForUpdate", "LongPollWait"] as const)
      expect((await agent.send(type)).status).toBe(401);
    for (const type of ["DoUpdate", "DoConfigUpdate"] as const)
      await expect(agent.fetchUpdate(type)).rejects.toThrow("401");
    expect((await agent.report({ configHash: "0" })).status).toBe(401);
  });

  it("can't enroll with a code from before", async () => {
    await revoke[how]();
    expect(await enroll(unusedCode)).toBe(400);
  });

  it("gets no new code", async () => {
    await revoke[how]();
    expect(await errorCodesOf(owner.call(createEnrollmentCode, params()))).toEqual([
      how === "blocked" ? "ERR_HOST_BLOCKED" : "ERR_NOT_FOUND",
    ]);
  });
});

describe("a blocked host", () => {
  it("gets no certificate of a new CA", async () => {
    await revoke.blocked();
    const before = await fingerprintsOf();
    await owner.call(rotateCa, { params: { networkID: fleet.networkID }, body: {} });
    for (let step = 0; step < 3; step++) {
      await witness.update("DoUpdate");
      await witness.hasUpdate();
      await stepRotations(server.ctx);
    }
    expect(await enroll(unusedCode)).toBe(400);
    expect((await agent.send("CheckForUpdate")).status).toBe(401);
    expect(await fingerprintsOf()).toEqual(before);
  });

  it("is still rejected with its old keys, code and certificates after it was unblocked", async () => {
    const fingerprints = await fingerprintsOf();
    await revoke.blocked();
    await owner.call(unblockHostV2, params());
    expect((await agent.send("CheckForUpdate")).status).toBe(401);
    expect(await enroll(unusedCode)).toBe(400);
    await expectListed(fingerprints);
  });
});
