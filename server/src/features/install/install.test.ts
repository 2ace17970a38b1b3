import { launcherOf } from "@lightkeeper/contract/agent-launcher";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import {
  bundleFile,
  createCode,
  emptyDownloads,
  failure,
  filesOf,
  install,
  machine,
  program,
  release,
  releaseBundle,
  replaceMachine,
  server,
  state,
  unit,
  url,
  useInstall,
} from "../../testing/install-fixture.ts";
import { rawRequest } from "../../testing/raw-request.ts";
import { installScript, shellQuote } from "./install-script.ts";
import { SERVICE_UNIT } from "./service-unit.ts";

/** Shells on this system that hosts may use. */
const shells = ["sh", "dash", "bash --posix", "busybox sh"].flatMap((name) => {
  const [command = "", ...args] = name.split(" ");
  const path = ["/bin", "/usr/bin"]
    .map((directory) => join(directory, command))
    .find((file) => existsSync(file));
  return path === undefined ? [] : [{ name, shell: [path, ...args] }];
});

useInstall();

describe("GET /install.sh", () => {
  it("returns a script with the server's configured address and nothing from the request", async () => {
    const { status, headers, body } = await rawRequest(`${url}/install.sh`, {
      headers: { host: "evil.example", "x-forwarded-host": "evil.example" },
    });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "content-type": "text/x-shellscript; charset=utf-8",
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
    });
    expect(body.toString()).toBe(installScript(server.ctx.config.appURL));
    expect(body.toString()).toContain(`\nserver='${server.ctx.config.appURL}'\n`);
    expect(body.toString()).not.toContain("evil");
  });

  it.each(["https://a.example", "https://a'b$(touch x)`touch y`\"c\\d.example", "https://[::1]:8443"])(
    "quotes %s as an address and runs no part of it",
    async (address) => {
      const [head = ""] = installScript(address).split("\ncode=");
      const { output } = await machine.run(`${head}\nprintf %s "$server"`);
      expect(output).toBe(address);
      expect(execFileSync("sh", ["-c", `printf %s ${shellQuote(address)}`], { encoding: "utf8" })).toBe(
        address,
      );
      expect(readdirSync(machine.folder).sort()).toEqual(["bin", "journal", "root"]);
    },
  );

  it("does nothing if the download is incomplete", async () => {
    const lines = installScript(url).trimEnd().split("\n");
    for (let length = 1; length < lines.length; length += 7) {
      machine.takeSystemctlCalls();
      await machine.run(lines.slice(0, length).join("\n"), "--code", "X");
      expect([filesOf(machine), machine.takeSystemctlCalls()]).toEqual([[], []]);
    }
  });
});

describe.each(shells)("with $name", ({ shell }) => {
  beforeEach(() => replaceMachine(shell));

  it("installs, enrolls and starts the agent, and restarts it later only after an update", async () => {
    const { hostID, code } = await createCode();
    const first = await install("--code", code);
    expect(first).toMatchObject({ code: 0, errors: "" });
    expect(first.output).toMatch(/^Enrolled as host-\d+ .*\nInstalled lightkeeper-agent 1\.0\.0\.\n$/);
    expect(filesOf(machine)).toEqual([unit, program, state]);
    expect(statSync(machine.path(program)).mode & 0o777).toBe(0o755);
    expect(statSync(machine.path("var/lib/lightkeeper")).mode & 0o777).toBe(0o700);
    expect(machine.takeSystemctlCalls()).toEqual([
      "daemon-reload",
      "enable --quiet lightkeeper-agent",
      "restart lightkeeper-agent",
    ]);
    expect(JSON.parse(machine.read(state))).toMatchObject({ hostID, server: url });

    const enrolled = machine.read(state);
    expect(await install()).toMatchObject({ code: 0, errors: "" });
    expect(machine.takeSystemctlCalls().at(-1)).toBe("start lightkeeper-agent");
    release("1.0.1");
    expect((await install()).output).toBe("Installed lightkeeper-agent 1.0.1.\n");
    expect(machine.takeSystemctlCalls().at(-1)).toBe("restart lightkeeper-agent");
    expect(machine.read(state)).toBe(enrolled);
    expect((await machine.agent("--version")).output).toBe("1.0.1\n");
  });

  it("installs the bundle if there is no executable, replaces it later, and uninstalls everything", async () => {
    emptyDownloads();
    releaseBundle("1.0.0");
    expect(await install("--code", (await createCode()).code)).toMatchObject({ code: 0, errors: "" });
    expect(filesOf(machine)).toEqual([unit, program, bundleFile, state]);
    const [node, bundle] = /^exec (\S+) .* (\S+) "\$@"$/m.exec(machine.read(program))!.slice(1);
    expect(machine.read(program)).toBe(launcherOf({ node: node!, bundle: bundle! }));
    expect(bundle).toMatch(/\/lightkeeper-agent\.mjs$/);
    expect((await machine.agent("status")).output).toContain("Enrolled as");
    release("1.0.0");
    expect(await install()).toMatchObject({ code: 0, errors: "" });
    expect(filesOf(machine)).toEqual([unit, program, state]);
    machine.takeSystemctlCalls();
    const uninstalled = await machine.run(installScript(url), "--uninstall");
    expect(uninstalled).toMatchObject({ code: 0, errors: "" });
    expect(uninstalled.output).toContain("Also delete or block the host in the console");
    expect(uninstalled.output).toMatch(/\nAgent removed\.\n$/);
    expect(filesOf(machine)).toEqual([]);
    expect(machine.has("var/lib/lightkeeper")).toBe(false);
    expect(machine.takeSystemctlCalls()).toEqual([
      "disable --quiet --now lightkeeper-agent",
      "daemon-reload",
    ]);
    expect(await machine.run(installScript(url), "--uninstall")).toMatchObject({ code: 0, errors: "" });
  });
});

it("creates a service with few capabilities and no core dumps that lets Node.js compile", async () => {
  await install();
  const installedUnit = machine.read(unit);
  expect(installedUnit).toBe(SERVICE_UNIT);
  for (const line of [
    "ExecStart=/usr/local/bin/lightkeeper-agent run",
    "CapabilityBoundingSet=CAP_NET_ADMIN CAP_NET_BIND_SERVICE",
    "NoNewPrivileges=yes",
    "ProtectSystem=strict",
    "StateDirectoryMode=0700",
    "LimitCORE=0",
    "DeviceAllow=/dev/net/tun rw",
  ])
    expect(installedUnit.split("\n")).toContain(line);
  expect(installedUnit).not.toContain("MemoryDenyWriteExecute=");
});

describe("starting", () => {
  it("is skipped with --no-start and without an enrollment", async () => {
    const { code } = await createCode();
    expect((await install("--code", code, "--no-start")).output).toContain(
      "systemctl start lightkeeper-agent",
    );
    expect(machine.takeSystemctlCalls()).toEqual(["daemon-reload", "enable --quiet lightkeeper-agent"]);
    replaceMachine();
    expect((await install()).output).toContain(`lightkeeper-agent enroll --server ${url} --code CODE`);
    expect(machine.takeSystemctlCalls()).toEqual(["daemon-reload", "enable --quiet lightkeeper-agent"]);
  });

  it("is explained on a system without systemd", async () => {
    machine.withoutSystemd();
    const { code } = await createCode();
    const done = await install("--code", code);
    expect(done).toMatchObject({ code: 0, errors: "" });
    expect(done.output).toContain("systemd not found. Start the agent yourself, as root: ");
    expect(filesOf(machine)).toEqual([program, state]);
    expect(machine.takeSystemctlCalls()).toEqual([]);
  });

  it("again with a new code switches to another host's identity", async () => {
    const [first, second] = [await createCode(), await createCode()];
    await install("--code", first.code);
    expect(await install("--code", second.code)).toMatchObject({ code: 0 });
    expect(JSON.parse(machine.read(state))).toMatchObject({ hostID: second.hostID });
    expect(await install("--code", second.code)).toMatchObject(failure(/^Invalid enrollment code\. /));
    expect(JSON.parse(machine.read(state))).toMatchObject({ hostID: second.hostID });
    expect(machine.has(program)).toBe(true);
  });
});
