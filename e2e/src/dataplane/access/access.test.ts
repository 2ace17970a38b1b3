/**
 * What the access engine says is what nebula does: random networks, with real packets for every flow. The seed is
 * printed; set ACCESS_SEED to repeat a run, and ACCESS_FLOWS for more than the default number of flows per version.
 */
import { randomInt } from "node:crypto";
import { nebulaCapabilities } from "@lightkeeper/nebula";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { flowsOf, type ProbedFlow } from "./flows.ts";
import { NebulaMachines } from "./nebula-machines.ts";
import { findDisagreements } from "./probe-flows.ts";
import {
  HOSTS,
  type NetworkKindName,
  networkKinds,
  randomNetwork,
  type RandomNetwork,
} from "./random-network.ts";
import { findNebula, type NebulaVersion, nebulaVersions } from "../test-network.ts";

const { ACCESS_FLOWS, ACCESS_SEED } = process.env;
const flowsMin = Number(ACCESS_FLOWS ?? 300);
/** Most flows between random hosts are denied. */
const allowedMin = flowsMin / 10;
const firstSeed = Number(ACCESS_SEED ?? randomInt(2 ** 31));
const TIMEOUT_MS = 120_000 + flowsMin * 200;

const toJson = (value: unknown) =>
  JSON.stringify(value, (_, part: unknown) =>
    part instanceof Map || part instanceof Set ? [...part] : part,
  );

interface RandomCase {
  version: NebulaVersion;
  kind: NetworkKindName;
}

/** Everything that is needed to find the reason, and to see the disagreement again. */
function describeDisagreement(
  { version, kind }: RandomCase,
  seed: number,
  network: RandomNetwork,
  { isExpected, ...flow }: ProbedFlow,
): string {
  const [engine, nebula] = isExpected ? ["allowed", "denied"] : ["denied", "allowed"];
  return [
    `${toJson(flow)}: the engine says ${engine}, nebula ${version} ${nebula} it`,
    `network: ${toJson(network)}`,
    `replay: ACCESS_SEED=${seed} ACCESS_FLOWS=1 npm run access -- -t "${version}.* ${kind}"`,
  ].join("\n");
}

/** Version 2 certificates, and therefore IPv6, need a newer version. */
const kindsOf = (version: NebulaVersion) =>
  (Object.keys(networkKinds) as NetworkKindName[]).filter(
    (kind) => networkKinds[kind].certVersion === 1 || nebulaCapabilities(version).certificateV2,
  );

describe.each(nebulaVersions)("nebula %s", (version) => {
  let machines: NebulaMachines;
  beforeAll(async () => {
    machines = await NebulaMachines.create(HOSTS);
  });
  afterAll(() => machines.remove());

  it.each(kindsOf(version))(
    "agrees with the access engine on every flow of random networks with %s",
    async (kind) => {
      const nebula = await findNebula(version);
      let [probed, allowed] = [0, 0];
      for (let seed = firstSeed; probed < flowsMin || allowed < allowedMin; seed++) {
        const network = randomNetwork(version, kind, seed);
        const flows = flowsOf(network);
        await machines.start(network, nebula);
        const probeOf = (hostID: string) =>
          machines.probes[network.hosts.findIndex(({ id }) => id === hostID)]!;
        const disagreements = await findDisagreements(probeOf, flows);
        await machines.stop();
        expect(
          disagreements.map((flow) => describeDisagreement({ version, kind }, seed, network, flow)),
        ).toEqual([]);
        probed += flows.length;
        allowed += flows.filter(({ isExpected }) => isExpected).length;
      }
      console.log(
        `nebula ${version}, ${kind}: ${probed} flows, ${allowed} allowed, ACCESS_SEED=${firstSeed}`,
      );
      expect(probed).toBeGreaterThanOrEqual(flowsMin);
      expect(allowed).toBeGreaterThanOrEqual(allowedMin);
    },
    TIMEOUT_MS,
  );
});
