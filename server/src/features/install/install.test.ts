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

/** Those of this system that a script may meet elsewhere. */
const shells = ["sh", "dash", "bash --posix", "busybox sh"].flatMap((name) => {
  const [command = "", ...args] = name.split(" ");
  const path = ["/bin", "/usr/bin"].map((place) => join(place, command)).find((one) => existsSync(one));
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
const others: Server[] = [];

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
  for (const other of others.splice(0)) other.close();
  rmSync(downloads, { recursive: true });
  machine.remove();
});

/** Programs that say their version, and are the bundle for the rest. */
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
/** Every file there is, the machine's own directories aside. */
function filesOf(one: Machine): string[] {
  const entries = readdirSync(one.root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(one.root.length + 1))
    .sort();
}
const refusal = (sentence: RegExp) => ({ code: 1, output: "", errors: expect.stringMatching(sentence) });

describe("GET /install.sh", () => {
  it("is a script for anybody, with the server's own address and nothing of whoever asks", async () => {
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
    "takes %s for an address and not for a command",
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

  it("does nothing unless it has arrived as a whole", async () => {
    const lines = installScript(url).trimEnd().split("\n");
    for (let length = 1; length < lines.length; length += 7) {
      machine.asked();
      await machine.run(lines.slice(0, length).join("\n"), "--code", "X");
      expect([filesOf(machine), machine.asked()]).toEqual([[], []]);
    }
  });
});

describe.each(shells)("with $name", ({ shell }) => {
  beforeEach(() => {
    machine.remove();
    machine = new Machine(shell);
  });

  it("installs, enrolls and starts, and a second time only what is new", async () => {
    const { hostID, code } = await newCode();
    const first = await install("--code", code);
    expect(first).toMatchObject({ code: 0, errors: "" });
    expect(first.output).toMatch(/^Enrolled as host-\d+ .*\nInstalled lightkeeper-agent 1\.0\.0\.\n$/);
    expect(filesOf(machine)).toEqual([unit, program, state]);
    expect(statSync(machine.path(program)).mode & 0o777).toBe(0o755);
    expect(statSync(machine.path("var/lib/lightkeeper")).mode & 0o777).toBe(0o700);
    expect(machine.asked()).toEqual([
      "daemon-reload",
      "enable --quiet lightkeeper-agent",
      "restart lightkeeper-agent",
    ]);
    expect(JSON.parse(machine.read(state))).toMatchObject({ hostID, server: url });

    const enrolled = machine.read(state);
    expect(await install()).toMatchObject({ code: 0, errors: "" });
    expect(machine.asked().at(-1)).toBe("start lightkeeper-agent");
    release("1.0.1");
    expect((await install()).output).toBe("Installed lightkeeper-agent 1.0.1.\n");
    expect(machine.asked().at(-1)).toBe("restart lightkeeper-agent");
    expect(machine.read(state)).toBe(enrolled);
    expect((await machine.agent("--version")).output).toBe("1.0.1\n");
  });

  it("falls back to the bundle, goes on to the executable when there is one, and leaves nothing", async () => {
    emptyDownloads();
    releaseBundle("1.0.0");
    expect(await install("--code", (await newCode()).code)).toMatchObject({ code: 0, errors: "" });
    expect(filesOf(machine)).toEqual([unit, program, bundleFile, state]);
    expect((await machine.agent("status")).output).toContain("Enrolled as");
    release("1.0.0");
    expect(await install()).toMatchObject({ code: 0, errors: "" });
    expect(filesOf(machine)).toEqual([unit, program, state]);
    machine.asked();
    const gone = await machine.run(installScript(url), "--uninstall");
    expect(gone).toMatchObject({ code: 0, errors: "" });
    expect(gone.output).toContain("Delete or block the host in the console too");
    expect(filesOf(machine)).toEqual([]);
    expect(machine.has("var/lib/lightkeeper")).toBe(false);
    expect(machine.asked()).toEqual(["disable --quiet --now lightkeeper-agent", "daemon-reload"]);
    expect(await machine.run(installScript(url), "--uninstall")).toMatchObject({ code: 0, errors: "" });
  });
});

it("makes a service that has few of root's powers, keeps keys out of core files, and lets Node compile", async () => {
  await install();
  const written = machine.read(unit);
  expect(written).toBe(SERVICE_UNIT);
  for (const line of [
    "ExecStart=/usr/local/bin/lightkeeper-agent run",
    "CapabilityBoundingSet=CAP_NET_ADMIN CAP_NET_BIND_SERVICE",
    "NoNewPrivileges=yes",
    "ProtectSystem=strict",
    "StateDirectoryMode=0700",
    "LimitCORE=0",
    "DeviceAllow=/dev/net/tun rw",
  ])
    expect(written.split("\n")).toContain(line);
  expect(written).not.toContain("MemoryDenyWriteExecute=");
});

describe("what it takes", () => {
  it.each([
    ["a code that is wrong", ["--code", "WRONG"], /^The server does not know this code/],
    ["a code that begins with a dash", ["--code=-x"], /^The server does not know this code/],
    ["an option that is none", ["--cod", "x"], /^--cod is not an option: see --help\.\n$/],
    ["an option without its value", ["--code"], /^--code needs a value\.\n$/],
    ["a nebula that is none", ["--code", "x", "--nebula", "/no/nebula"], /^\/no\/nebula is no program\.\n$/],
    ["a nebula without a code", ["--nebula", "/bin/true"], /^--nebula is remembered by enrolling/],
    ["a server that is not there", ["--server", "http://127.0.0.1:1"], /^http:.* could not be fetched: /],
  ])("refuses %s in one sentence, with nothing left behind", async (_what, args, sentence) => {
    const refused = await install(...args);
    expect(refused).toMatchObject(refusal(sentence));
    expect(refused.errors.trimEnd().split("\n")).toHaveLength(1);
    expect([filesOf(machine), machine.asked()]).toEqual([[], []]);
  });

  it("is root, Linux, something to fetch with and something to check with", async () => {
    machine.program("id", "echo 1000");
    expect(await install()).toMatchObject(refusal(/^Installing takes root: put sudo before sh\.\n$/));
    machine.program("id", "echo 0");
    machine.program("uname", "echo Darwin");
    expect(await install()).toMatchObject(refusal(/^The agent runs on Linux, and this is Darwin\.\n$/));
    machine.give("uname");
    machine.take("sha256sum");
    expect(await install()).toMatchObject(refusal(/^Neither sha256sum, shasum nor openssl/));
    machine.take("curl");
    expect(await install()).toMatchObject(refusal(/^Neither curl nor wget/));
    expect(filesOf(machine)).toEqual([]);
  });

  it("is an agent for the machine, or a Node new enough that a service can see", async () => {
    machine.program("uname", 'if [ "$1" = -m ]; then echo riscv64; else echo Linux; fi');
    expect(await install()).toMatchObject(refusal(/has no agent that runs on this host \(riscv64\)/));
    releaseBundle("1.0.0");
    machine.program("node", "echo 18");
    expect(await install()).toMatchObject(refusal(/install Node 20 or newer/));
    machine.take("node");
    expect(await install()).toMatchObject(refusal(/install Node 20 or newer/));
    machine.give("node", process.execPath);
    expect(await install()).toMatchObject({ code: 0 });
    expect(machine.has(bundleFile)).toBe(true);
  });

  it("is a program that runs here: one for another C library is passed over", async () => {
    for (const name of readdirSync(downloads)) writeFileSync(join(downloads, name), "#!/no/such/loader\n");
    releaseBundle("1.0.0");
    expect(await install()).toMatchObject({ code: 0, errors: "" });
    expect(machine.has(bundleFile)).toBe(true);
  });

  it("may as well be wget and openssl", async () => {
    for (const tool of ["curl", "sha256sum"]) machine.take(tool);
    for (const tool of ["wget", "openssl"]) machine.give(tool);
    expect(await install("--code", (await newCode()).code)).toMatchObject({ code: 0, errors: "" });
  });
});

it("refuses a file that is not the one the server has", async () => {
  const damaged = createServer((request, response) => {
    if (request.url === "/v1/downloads") {
      const latest = { "linux-amd64": "http://elsewhere/agent", "linux-arm64": "http://elsewhere/agent" };
      response.end(JSON.stringify({ data: { dnclient: { latest } } }));
    } else response.end(request.url?.endsWith(".sha256") ? "0".repeat(64) : "#!/bin/sh\ntouch ran\n");
  });
  others.push(damaged);
  await new Promise<void>((ready) => damaged.listen(0, "127.0.0.1", ready));
  const { port } = damaged.address() as AddressInfo;
  const refused = await install("--server", `http://127.0.0.1:${port}`);
  expect(refused).toMatchObject(
    refusal(/\/downloads\/files\/agent arrived damaged: its SHA-256 is [0-9a-f]{64} and/),
  );
  expect(filesOf(machine)).toEqual([]);
  expect(existsSync(join(machine.folder, "ran"))).toBe(false);
});

describe("nebula", () => {
  beforeEach(() => machine.take("nebula"));

  it("is installed where there is apt-get", async () => {
    machine.program(
      "apt-get",
      `case "$1" in install) printf '#!/bin/sh\\necho Version: 1.6.1\\n' > ${machine.bin("nebula")}; chmod 755 ${machine.bin("nebula")} ;; esac`,
    );
    const done = await install("--code", (await newCode()).code);
    expect(done).toMatchObject({ code: 0, output: expect.stringContaining("Installing nebula.\n") });
  });

  it("is asked for where there is none, in one sentence", async () => {
    const missing = await install("--code", "x");
    expect(missing).toMatchObject(refusal(/^Nebula is not installed: .*--nebula PATH\.\n$/));
    machine.program("apt-get", 'echo "E: Unable to locate package nebula"; exit 100');
    const refused = await install("--code", "x");
    expect(refused).toMatchObject({
      code: 1,
      errors: "Nebula could not be installed by apt-get: E: Unable to locate package nebula\n",
    });
    expect(filesOf(machine)).toEqual([]);
  });

  it("may be named, and is then remembered", async () => {
    const path = join(machine.folder, "my-nebula");
    writeFileSync(path, "#!/bin/sh\necho Version: 1.9.3\n");
    chmodSync(path, 0o755);
    expect(await install("--code", (await newCode()).code, "--nebula", path)).toMatchObject({ code: 0 });
    expect(JSON.parse(machine.read(state))).toMatchObject({ nebula: path });
    expect(await install()).toMatchObject({ code: 0 });
  });
});

describe("starting", () => {
  it("is left to whoever asks for that, and to the code that is still to come", async () => {
    const { code } = await newCode();
    expect((await install("--code", code, "--no-start")).output).toContain(
      "systemctl start lightkeeper-agent",
    );
    expect(machine.asked()).toEqual(["daemon-reload", "enable --quiet lightkeeper-agent"]);
    machine.remove();
    machine = new Machine();
    expect((await install()).output).toContain(`lightkeeper-agent enroll --server ${url} --code CODE`);
    expect(machine.asked()).toEqual(["daemon-reload", "enable --quiet lightkeeper-agent"]);
  });

  it("is explained where there is no systemd", async () => {
    machine.withoutSystemd();
    const { code } = await newCode();
    const done = await install("--code", code);
    expect(done).toMatchObject({ code: 0, errors: "" });
    expect(done.output).toContain("This system has no systemd.");
    expect(filesOf(machine)).toEqual([program, state]);
    expect(machine.asked()).toEqual([]);
  });

  it("again with a new code takes over another identity", async () => {
    const [one, other] = [await newCode(), await newCode()];
    await install("--code", one.code);
    expect(await install("--code", other.code)).toMatchObject({ code: 0 });
    expect(JSON.parse(machine.read(state))).toMatchObject({ hostID: other.hostID });
    expect(await install("--code", other.code)).toMatchObject(refusal(/^The server does not know this code/));
    expect(JSON.parse(machine.read(state))).toMatchObject({ hostID: other.hostID });
    expect(machine.has(program)).toBe(true);
  });
});
