/** A host gets version 2 certificates in steps, and its agent is killed in each of them: nebula never restarts. */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { readConfig } from "./config.ts";
import { readHostCertificates } from "./host-certificates.ts";
import { until } from "./testing/agent-program.ts";
import { useTestHost } from "./testing/use-test-host.ts";

const NEBULA_VERSION = "1.11.0";
const LIFE_MAX_MS = 1500;
/** Longer than what occurs in base64 by chance. */
const V2 = "NEBULA CERTIFICATE V2";
const fixture = useTestHost({ isEnrolled: true, nebulaVersion: NEBULA_VERSION });

/** The first step makes the host trust another CA, the others replace its certificates. */
const steps = [
  { command: "DoConfigUpdate", versions: [1] },
  { command: "DoUpdate", versions: [1, 2] },
  { command: "DoUpdate", versions: [2] },
] as const;

const readRunning = () => {
  const config = readConfig(readFileSync(fixture.host.directory.path("nebula.yml"), "utf8"));
  return config.pki as { ca: string; cert: string };
};
/** Whether nebula's files have these certificates and both CAs, and the server knows that. */
const hasReached = ({ versions }: (typeof steps)[number]) => {
  const { ca, cert } = readRunning();
  const found = readHostCertificates(cert)?.map(({ version }) => version);
  return found?.join() === versions.join() && ca.includes(V2) && fixture.isUpToDate();
};
const starts = () => fixture.host.nebula.journal().filter((event) => event !== "reload");

describe("an upgrade to version 2 certificates", () => {
  it("reloads nebula in each step", async () => {
    await fixture.runUntilCurrent();
    expect(readRunning().ca).not.toContain(V2);
    fixture.host.server.settings = { nebulaVersion: NEBULA_VERSION };
    for (const [index, step] of steps.entries()) {
      fixture.host.server.certificateVersions = step.versions;
      fixture.host.server.enqueueAction(step.command);
      await until(() => hasReached(step) && fixture.host.nebula.journal().length === index + 2);
    }
    expect(starts()).toEqual(["start"]);
    expect(fixture.host.report()).toMatchObject({ error: null });
  });

  it("keeps nebula running if the agent is killed at any time in each step", async () => {
    let agent = await fixture.runUntilCurrent();
    const nebulas = fixture.host.nebulas();
    fixture.host.server.settings = { nebulaVersion: NEBULA_VERSION };
    for (const step of steps) {
      fixture.host.server.certificateVersions = step.versions;
      fixture.host.server.enqueueAction(step.command);
      await sleep(Math.random() * LIFE_MAX_MS);
      await agent.kill("SIGKILL");
      agent = fixture.host.run();
      // The killed agent may have fetched the action without its result.
      fixture.host.server.enqueueAction(step.command);
      await until(() => fixture.host.server.isIdle() && hasReached(step));
    }
    expect(fixture.host.nebulas()).toEqual(nebulas);
    expect(starts()).toEqual(["start"]);
    expect(fixture.host.report()).toMatchObject({ error: null });
  });
});
