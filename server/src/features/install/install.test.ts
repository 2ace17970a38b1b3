import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEnrollmentCode } from "@lightkeeper/contract";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { buildAgent } from "../../../../scripts/build-agent.mjs";
import { type App, createApp } from "../../app/app.ts";
import { createFleet } from "../../testing/fleet.ts";
import { rawRequest } from "../../testing/raw-request.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { installScript, shellQuote } from "./install-script.ts";
import { SERVICE_UNIT } from "./service-unit.ts";
import { Machine } from "./testing.ts";

/** Shells on this system that hosts may use. */
const shells = ["sh", "dash", "bash --posix", "busybox sh"].flatMap((name) => {
  const [command = "", ...args] = name.split(" ");
  const path = ["/bin", "/usr/bin"]
    .map((directory) => join(directory, command))
    .find((file) => existsSync(file));
  return path === undefined ? [] : [{ name, shell: [path, ...args] }];
});

let server: TestServer;
let owner: Session;
let app: App;
let url: string;
let folder: string;
let bundle: string;
let downloads: string;
let machine: Machine;
const otherServers: Server[] = [];

beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
  folder = mkdtempSync(join(tmpdir(), "lightkeeper-install-"));
  downloads = join(folder, "downloads");
  ({ file: bundle } = await buildAgent(join(folder, "built")));
  app = createApp(server.ctx, { strict: true, downloadsDirectory: downloads });
  await app.http.listen({ host: "127.0.0.1", port: 0 });
  url = `http://127.0.0.1:${(app.http.server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await app.http.close();
  await server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  mkdirSync(downloads);
  release("1.0.0");
  machine = new Machine();
});
afterEach(() => {
  for (const otherServer of otherServers.splice(0)) otherServer.close();
  rmSync(downloads, { recursive: true });
  machine.remove();
});

/** Executables that print the version and otherwise run the bundle. */
function release(version: string): void {
  for (const platform of ["linux-amd64", "linux-arm64"])
    writeFileSync(
      join(downloads, `lightkeeper-agent-${version}-${platform}`),
      `#!/bin/sh\nif [ "$1" = --version ]; then echo ${version}; else exec node ${bundle} "$@"; fi\n`,
    );
}
function releaseBundle(version: string): void {
  writeFileSync(
    join(downloads, `lightkeeper-agent-${version}.mjs`),
    `if (process.argv[2] === "--version") console.log("${version}"); else await import("${bundle}");\n`,
  );
}
const emptyDownloads = () => {
  for (const name of readdirSync(downloads)) rmSync(join(downloads, name));
};

async function newCode(): Promise<{ hostID: string; code: string }> {
  const { id: hostID } = await (await createFleet(server, owner)).add();
  const { code } = await owner.call(createEnrollmentCode, { params: { hostID } });
  return { hostID, code };
}
const install = (...args: string[]) => machine.run(installScript(url), ...args);
const program = "usr/local/bin/lightkeeper-agent";
const bundleFile = "usr/local/lib/lightkeeper-agent.mjs";
const unit = "etc/systemd/system/lightkeeper-agent.service";
const state = "var/lib/lightkeeper/enrollment.json";
function filesOf({ root }: Machine): string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}
const failure = (message: RegExp) => ({ code: 1, output: "", errors: expect.stringMatching(message) });

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
  beforeEach(() => {
    machine.remove();
    machine = new Machine(shell);
  });

  it("installs, enrolls and starts the agent, and restarts it later only after an update", async () => {
    const { hostID, code } = await newCode();
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
    expect(await install("--code", (await newCode()).code)).toMatchObject({ code: 0, errors: "" });
    expect(filesOf(machine)).toEqual([unit, program, bundleFile, state]);
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

describe("requirements", () => {
  it.each([
    ["an invalid code", ["--code", "WRONG"], /^Invalid enrollment code\. /],
    ["an invalid code that begins with a dash", ["--code=-x"], /^Invalid enrollment code\. /],
    ["an unknown option", ["--cod", "x"], /^Unknown option: --cod\. See --help\.\n$/],
    ["an option without its value", ["--code"], /^--code requires a value\.\n$/],
    [
      "a missing nebula",
      ["--code", "x", "--nebula", "/no/nebula"],
      /^\/no\/nebula isn't an executable file\.\n$/,
    ],
    ["a nebula without a code", ["--nebula", "/bin/true"], /^--nebula requires --code\.\n$/],
    ["an unreachable server", ["--server", "http://127.0.0.1:1"], /^Can't download http:/],
  ])("%s fails with a one-line message and leaves nothing behind", async (_case, args, message) => {
    const outcome = await install(...args);
    expect(outcome).toMatchObject(failure(message));
    expect(outcome.errors.trimEnd().split("\n")).toHaveLength(1);
    expect([filesOf(machine), machine.takeSystemctlCalls()]).toEqual([[], []]);
  });

  it("include root, Linux, a download tool and a checksum tool", async () => {
    machine.addScript("id", "echo 1000");
    expect(await install()).toMatchObject(failure(/^Run this script as root: sudo sh\.\n$/));
    machine.addScript("id", "echo 0");
    machine.addScript("uname", "echo Darwin");
    expect(await install()).toMatchObject(failure(/^The agent only runs on Linux \(this is Darwin\)\.\n$/));
    machine.addTool("uname");
    machine.removeTool("sha256sum");
    expect(await install()).toMatchObject(failure(/^sha256sum, shasum or openssl is required\.\n$/));
    machine.removeTool("curl");
    expect(await install()).toMatchObject(failure(/^curl or wget is required\.\n$/));
    expect(filesOf(machine)).toEqual([]);
  });

  it("include an executable for the architecture or a recent Node.js", async () => {
    machine.addScript("uname", 'if [ "$1" = -m ]; then echo riscv64; else echo Linux; fi');
    expect(await install()).toMatchObject(failure(/has no agent that runs on this host \(riscv64\)/));
    releaseBundle("1.0.0");
    machine.addScript("node", "echo 18");
    expect(await install()).toMatchObject(failure(/Install Node\.js 20 or newer/));
    machine.removeTool("node");
    expect(await install()).toMatchObject(failure(/Install Node\.js 20 or newer/));
    machine.addTool("node", process.execPath);
    expect(await install()).toMatchObject({ code: 0 });
    expect(machine.has(bundleFile)).toBe(true);
  });

  it("are met by the bundle if the executable is for another C library", async () => {
    for (const name of readdirSync(downloads)) writeFileSync(join(downloads, name), "#!/no/such/loader\n");
    releaseBundle("1.0.0");
    expect(await install()).toMatchObject({ code: 0, errors: "" });
    expect(machine.has(bundleFile)).toBe(true);
  });

  it("are met by wget and openssl", async () => {
    for (const tool of ["curl", "sha256sum"]) machine.removeTool(tool);
    for (const tool of ["wget", "openssl"]) machine.addTool(tool);
    expect(await install("--code", (await newCode()).code)).toMatchObject({ code: 0, errors: "" });
  });
});

it("rejects a file with the wrong checksum", async () => {
  const damaged = createServer((request, response) => {
    if (request.url === "/v1/downloads") {
      const latest = { "linux-amd64": "http://elsewhere/agent", "linux-arm64": "http://elsewhere/agent" };
      response.end(JSON.stringify({ data: { dnclient: { latest } } }));
    } else response.end(request.url?.endsWith(".sha256") ? "0".repeat(64) : "#!/bin/sh\ntouch ran\n");
  });
  otherServers.push(damaged);
  await new Promise<void>((ready) => damaged.listen(0, "127.0.0.1", ready));
  const { port } = damaged.address() as AddressInfo;
  expect(await install("--server", `http://127.0.0.1:${port}`)).toMatchObject(
    failure(/\/downloads\/files\/agent is damaged: its SHA-256 is [0-9a-f]{64}, expected 0{64}\.\n$/),
  );
  expect(filesOf(machine)).toEqual([]);
  expect(existsSync(join(machine.folder, "ran"))).toBe(false);
});

describe("nebula", () => {
  beforeEach(() => machine.removeTool("nebula"));

  it("is installed with apt-get if available", async () => {
    machine.addScript(
      "apt-get",
      `case "$1" in install) printf '#!/bin/sh\\necho Version: 1.6.1\\n' > ${machine.bin("nebula")}; chmod 755 ${machine.bin("nebula")} ;; esac`,
    );
    const done = await install("--code", (await newCode()).code);
    expect(done).toMatchObject({ code: 0, output: expect.stringContaining("Installing Nebula.\n") });
  });

  it("is required, with a one-line message if it can't be installed", async () => {
    const withoutApt = await install("--code", "x");
    expect(withoutApt).toMatchObject(failure(/^Nebula isn't installed\. .*--nebula PATH\.\n$/));
    machine.addScript("apt-get", 'echo "E: Unable to locate package nebula"; exit 100');
    const withFailingApt = await install("--code", "x");
    expect(withFailingApt).toMatchObject({
      code: 1,
      errors: "apt-get can't install Nebula: E: Unable to locate package nebula\n",
    });
    expect(filesOf(machine)).toEqual([]);
  });

  it("is stored with the enrollment if set with --nebula", async () => {
    const path = join(machine.folder, "my-nebula");
    writeFileSync(path, "#!/bin/sh\necho Version: 1.9.3\n");
    chmodSync(path, 0o755);
    expect(await install("--code", (await newCode()).code, "--nebula", path)).toMatchObject({ code: 0 });
    expect(JSON.parse(machine.read(state))).toMatchObject({ nebula: path });
    expect(await install()).toMatchObject({ code: 0 });
  });
});

describe("starting", () => {
  it("is skipped with --no-start and without an enrollment", async () => {
    const { code } = await newCode();
    expect((await install("--code", code, "--no-start")).output).toContain(
      "systemctl start lightkeeper-agent",
    );
    expect(machine.takeSystemctlCalls()).toEqual(["daemon-reload", "enable --quiet lightkeeper-agent"]);
    machine.remove();
    machine = new Machine();
    expect((await install()).output).toContain(`lightkeeper-agent enroll --server ${url} --code CODE`);
    expect(machine.takeSystemctlCalls()).toEqual(["daemon-reload", "enable --quiet lightkeeper-agent"]);
  });

  it("is explained on a system without systemd", async () => {
    machine.withoutSystemd();
    const { code } = await newCode();
    const done = await install("--code", code);
    expect(done).toMatchObject({ code: 0, errors: "" });
    expect(done.output).toContain("systemd not found. Start the agent yourself, as root: ");
    expect(filesOf(machine)).toEqual([program, state]);
    expect(machine.takeSystemctlCalls()).toEqual([]);
  });

  it("again with a new code switches to another host's identity", async () => {
    const [first, second] = [await newCode(), await newCode()];
    await install("--code", first.code);
    expect(await install("--code", second.code)).toMatchObject({ code: 0 });
    expect(JSON.parse(machine.read(state))).toMatchObject({ hostID: second.hostID });
    expect(await install("--code", second.code)).toMatchObject(failure(/^Invalid enrollment code\. /));
    expect(JSON.parse(machine.read(state))).toMatchObject({ hostID: second.hostID });
    expect(machine.has(program)).toBe(true);
  });
});
