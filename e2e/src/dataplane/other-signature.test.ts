/**
 * A P256 certificate has a second valid signature, with which it has another fingerprint: whoever has a host's
 * certificate can compute it, so a block must cover both.
 */
import { blockHostV2 } from "@lightkeeper/contract";
import { decodeCertificateV1, decodePem, encodeCertificateV1, encodePem } from "@lightkeeper/nebula";
import { otherSignature } from "@lightkeeper/nebula/signing";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { describeStory } from "../story.ts";
import { until } from "../until.ts";
import { CopiedIdentity } from "./copied-identity.ts";
import { countEchoesBetween } from "./count-echoes.ts";
import type { OverlayHost } from "./overlay-host.ts";
import { PingableNetwork } from "./pingable-network.ts";
import { findNebula } from "./test-network.ts";

const LABEL = "NEBULA CERTIFICATE";

function replaceSignature(pem: string): string {
  const certificate = decodeCertificateV1(decodePem(LABEL, pem));
  const signature = otherSignature(certificate.signature);
  return encodePem(LABEL, encodeCertificateV1({ ...certificate, signature }));
}

describeStory("a P256 certificate with its other signature", () => {
  let network: PingableNetwork;
  let peers: OverlayHost[];
  let victim: OverlayHost;
  let original: CopiedIdentity;
  let altered: CopiedIdentity;

  beforeAll(async () => {
    network = await PingableNetwork.create("1.9.3", inject("server"), { body: { curve: "P256" } });
    const { testNetwork, lighthouse, roleID } = network;
    const newer = await testNetwork.addHost("newer", { roleID, nebula: await findNebula("1.11.0") });
    peers = [lighthouse, newer];
    victim = await testNetwork.addHost("victim", { roleID });
    await testNetwork.startHosts(lighthouse);
    original = new CopiedIdentity(victim);
    altered = new CopiedIdentity(victim, replaceSignature);
  });
  afterAll(() => network.testNetwork.remove());

  it("is accepted by nebula 1.9.3 and 1.11.0 until the host is blocked", async () => {
    expect(altered.fingerprint).not.toBe(original.fingerprint);
    await victim.stop();
    await altered.runDuring(async () => {
      for (const { machine, address } of peers)
        await until(`the victim reaches ${machine.name}`, () => victim.probe.ping(address));
      await network.testNetwork.call(blockHostV2, { params: { hostID: victim.id } });
      for (const { machine, address } of peers)
        await until(`${machine.name} no longer replies`, async () => !(await victim.probe.ping(address)));
    });
  });

  it("is rejected afterward, as the original is", async () => {
    for (const copy of [altered, original])
      await copy.runDuring(async () => expect(await countEchoesBetween(victim, peers)).toBe(0));
    // Nebula finds either signature by either fingerprint only since 1.10.3.
    expect(network.lighthouse.file("nebula.yml")).toContain(altered.fingerprint);
  });
});
