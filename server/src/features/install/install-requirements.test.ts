import { chmodSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  bundleFile,
  createCode,
  downloads,
  failure,
  filesOf,
  install,
  machine,
  releaseBundle,
  state,
  useInstall,
} from "../../testing/install-fixture.ts";

useInstall();
const otherServers: Server[] = [];
afterEach(() => {
  for (const otherServer of otherServers.splice(0)) otherServer.close();
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

  it("include executables, which the server may still be building or couldn't build", async () => {
    const record = (build: object) =>
      writeFileSync(join(downloads, "executables.json"), JSON.stringify(build));
    for (const file of readdirSync(downloads)) rmSync(join(downloads, file));
    machine.addScript("uname", 'if [ "$1" = -m ]; then echo x86_64; else echo Linux; fi');
    record({ state: "building" });
    expect(await install()).toMatchObject(
      failure(/is still building the agent for this host\. Try again in a minute\.\n$/),
    );
    record({ state: "failed", reason: 'Can\'t download "postject"' });
    expect(await install()).toMatchObject(
      failure(/couldn't build the agent for this host: Can't download 'postject'\n$/),
    );
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
    expect(await install("--code", (await createCode()).code)).toMatchObject({ code: 0, errors: "" });
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
    const done = await install("--code", (await createCode()).code);
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
    expect(await install("--code", (await createCode()).code, "--nebula", path)).toMatchObject({ code: 0 });
    expect(JSON.parse(machine.read(state))).toMatchObject({ nebula: path });
    expect(await install()).toMatchObject({ code: 0 });
  });
});
