import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { State } from "./state.ts";
import { until } from "./testing/agent-program.ts";
import { REJECTED } from "./testing/fake-nebula.ts";
import { revealsPrivateKey } from "./testing/private-keys.ts";
import { useTestHost, withDevice } from "./testing/use-test-host.ts";

const fixture = useTestHost({ isEnrolled: true });

describe("private keys", () => {
  const keysOf = () => {
    const state = fixture.host.directory.peek();
    return [state?.hostKey ?? "", state?.intended.nebulaKey ?? ""];
  };

  it("are in no command line, environment, output or request, and in no file that others can read", async () => {
    const keys = keysOf();
    const agent = await fixture.runUntilCurrent();
    fixture.host.server.enqueueAction("DoUpdate");
    await until(() => fixture.host.server.receivedOf("DoUpdate").length === 1 && fixture.isUpToDate());
    fixture.host.server.enqueueAction("PrintCert", {}, "token-1");
    fixture.host.server.enqueueAction("DebugStack", {}, "token-2");
    fixture.host.server.enqueueAction("StreamLogs", { durationSeconds: 1, level: "debug" }, "token-3");
    await until(() => fixture.host.server.receivedOf("CommandResponse").length === 3);
    fixture.host.server.settings = withDevice(REJECTED);
    fixture.host.server.enqueueAction("DoConfigUpdate");
    await until(() => fixture.host.report()?.error !== null);
    await until(() => fixture.host.server.streams.length === 1);
    keys.push(...keysOf());
    expect(new Set(keys).size).toBe(4);

    const processes = [agent.pid, ...fixture.host.nebulas()].flatMap((pid) =>
      ["cmdline", "environ"].map((file) => readFileSync(`/proc/${pid}/${file}`, "utf8")),
    );
    const log = readFileSync(fixture.host.directory.path("nebula.log"), "utf8");
    const output = [readFileSync(fixture.host.directory.path("status.json"), "utf8"), agent.output(), log];
    const sent = [...fixture.host.server.bodies, ...fixture.host.server.streams];
    expect(output.join("")).toContain("Nebula interface is active");
    expect(fixture.host.server.bodies.length).toBeGreaterThan(8);
    for (const text of [...processes, ...output, ...sent]) expect(revealsPrivateKey(text, keys)).toBe(false);
    expect(revealsPrivateKey(JSON.stringify(fixture.host.directory.peek()), keys)).toBe(true);
    expect(revealsPrivateKey(Buffer.from(Buffer.from(keys[3] ?? "")).toString("base64"), keys)).toBe(true);
    const isOpen = (name: string) => (statSync(fixture.host.directory.path(name)).mode & 0o077) !== 0;
    expect(readdirSync(fixture.host.directory.directory).filter(isOpen)).toEqual([]);
  });

  it.each([
    ["an invalid host key", (state: State) => ({ ...state, hostKey: state.hostKey.replace("M", "!") })],
    [
      "an invalid configuration",
      (state: State) => ({ ...state, intended: { ...state.intended, config: "]" } }),
    ],
    ["an incomplete state", ({ format, hostKey, intended }: State) => ({ format, hostKey, intended })],
  ])("are not printed when the agent fails because of %s", async (_what, damage) => {
    const keys = keysOf();
    const state = fixture.host.directory.peek() as State;
    rmSync(fixture.host.directory.path("enrollment.json"));
    writeFileSync(fixture.host.directory.path("state.json"), JSON.stringify(damage(state)));
    const agent = fixture.host.run();
    await until(() => agent.output() !== "", 60);
    const { output } = await agent.kill("SIGABRT");
    expect(output).not.toBe("");
    expect(revealsPrivateKey(output, keys)).toBe(false);
  });
});
