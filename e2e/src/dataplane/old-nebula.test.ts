/** Hosts whose nebula is too old for their network. */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { until } from "../until.ts";
import type { OverlayHost } from "./overlay-host.ts";
import { findNebula, type NebulaVersion, type NetworkOptions, TestNetwork } from "./test-network.ts";

interface Refusal {
  version: NebulaVersion;
  body: NonNullable<NetworkOptions["body"]>;
  reason: string;
}

describe.each<Refusal>([
  {
    version: "1.9.3",
    body: { certVersion: 2 },
    reason:
      "the network has version 2 certificates, which require Nebula 1.10.0 or newer; the host has Nebula 1.9.3",
  },
  {
    version: "1.6.1",
    body: { curve: "P256" },
    reason:
      "the network has keys of curve P256, which require Nebula 1.7.0 or newer; the host has Nebula 1.6.1",
  },
])("a host with nebula $version, which is too old for $body", ({ version, body, reason }) => {
  let testNetwork: TestNetwork;
  let host: OverlayHost;
  let code: string;

  beforeAll(async () => {
    testNetwork = await TestNetwork.create("1.11.0", inject("server"), { body });
    ({ host, code } = await testNetwork.createHost("lighthouse", { isLighthouse: true, isStatic: true }));
  });
  afterAll(() => testNetwork.remove());

  it("can't enroll and gets no configuration, and its code works once nebula is new enough", async () => {
    const old = await findNebula(version);
    await expect(host.enroll(code, "--nebula", old)).rejects.toThrow(reason);
    expect(["state.json", "nebula.yml"].filter((name) => host.hasFile(name))).toEqual([]);
    await host.enroll(code);
    host.start();
    await until("nebula is up", () => host.isUp());
  });
});
