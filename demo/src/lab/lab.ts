/** Eight hosts with real Nebula in network namespaces on this machine, enrolled by the real agent. */
import { existsSync, mkdirSync, mkdtempSync, chmodSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { type Client, createClient } from "@lightkeeper/contract";
import { ControlPlaneProxy, findBuiltAgent, OverlayHost, Underlay, until } from "@lightkeeper/e2e/dataplane";
import { ConfigError, type Prepared, readConfig, serve } from "@lightkeeper/server/app";
import { createOwner, logInOwner } from "@lightkeeper/server/seeds";
import { type Account, assertLocal, serveLoginLink } from "../login-link.ts";
import { listenURL } from "../listen-url.ts";
import { deleteLabState, type LabState, writeLabState } from "./commands.ts";
import { addLabHost, addRouteAndGuarantee, createLabNetwork, LAB_HOSTS, LAN } from "./network.ts";
import { removeLeftovers } from "./leftovers.ts";

const EMAIL = "owner@lab.example";
const NOTICE =
  "This is a lab: eight hosts with real Nebula on this machine. Everything is removed when it stops.";
const ONLINE_SECONDS_MAX = 120;
/** Machines of the lab find each other by name, as `ip netns exec` uses this folder for /etc. */
const NAMES_FOLDER = "/etc/netns";

const print = (line: string) => process.stdout.write(`${line}\n`);

export function assertCanRun(): void {
  if (process.platform !== "linux") throw new ConfigError("The lab needs Linux: it uses network namespaces.");
  if (process.getuid?.() !== 0) throw new ConfigError("The lab needs root: sudo npm run lab");
}

/** The newest Nebula that the tests have downloaded, or the installed one. */
function findNebula(cache: string): string {
  const installed = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, "nebula"));
  const candidates = [join(cache, "nebula/sid/nebula"), join(cache, "nebula/trixie/nebula"), ...installed];
  const found = candidates.find((file) => existsSync(file));
  if (!found) throw new ConfigError("Nebula isn't installed. On Debian or Ubuntu: apt-get install -y nebula");
  return found;
}

interface LabOptions {
  /** The folder for downloaded programs. */
  cache: string;
  stateFile: string;
}

export async function runLab({ cache, stateFile }: LabOptions): Promise<void> {
  assertCanRun();
  const nebula = findNebula(cache);
  await removeLeftovers(stateFile);
  const dataDir = mkdtempSync(join(tmpdir(), "lightkeeper-lab-"));
  // As root, the database runs as another user, who needs access to this directory.
  chmodSync(dataDir, 0o711);
  const config = readConfig({ ...process.env, DATA_DIR: dataDir, FREE_PLAN_HOST_LIMIT: "100" });
  assertLocal(config);
  const lab = new Lab(nebula, { stateFile, dataDir });
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => lab.stopStarting());
  // The database runs until the process exits.
  process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }));
  await serve(config, {
    notice: NOTICE,
    prepare: async (prepared) => {
      const { ctx, http } = prepared;
      const owner = await createOwner(ctx, { email: EMAIL, now: ctx.clock() });
      http.addHook("onListen", () => lab.start(prepared, owner));
      http.addHook("onClose", () => lab.remove());
      return `${config.appURL}${serveLoginLink(prepared, owner)}`;
    },
  });
}

class Lab {
  readonly #nebula: string;
  readonly #stateFile: string;
  readonly #hosts = new Map<string, OverlayHost>();
  #underlay: Underlay | undefined;
  #proxy: ControlPlaneProxy | undefined;
  #starting: Promise<void> | undefined;
  #isStopping = false;
  readonly #state: LabState;

  constructor(nebula: string, { stateFile, dataDir }: { stateFile: string; dataDir: string }) {
    this.#nebula = nebula;
    this.#stateFile = stateFile;
    this.#state = { pid: process.pid, dataDir, namespaces: {} };
    writeLabState(stateFile, this.#state);
  }

  start(prepared: Prepared, owner: Account): void {
    this.#starting = this.#start(prepared, owner);
  }

  /** Ctrl-C also ends the commands that create hosts, so they fail. */
  stopStarting(): void {
    this.#isStopping = true;
  }

  async #start({ ctx, http }: Prepared, owner: Account): Promise<void> {
    try {
      const { userToken, authToken } = await logInOwner(ctx, owner, "lab");
      const url = listenURL(http);
      const authorization = `Bearer ${userToken} ${authToken}`;
      await this.#createHosts(createClient({ baseURL: url, authorization: () => authorization }), url);
      await this.#waitUntilOnline();
      if (!this.#isStopping) this.#printCommands();
    } catch (error) {
      if (this.#isStopping) return;
      print(`The lab couldn't be started: ${String((error as Error).stack ?? error)}`);
      process.kill(process.pid, "SIGTERM");
    }
  }

  async remove(): Promise<void> {
    await this.#starting;
    for (const host of this.#hosts.values()) await host.stop("SIGKILL");
    await this.#underlay?.remove();
    for (const host of this.#hosts.values()) host.remove();
    for (const namespace of Object.values(this.#state.namespaces))
      rmSync(join(NAMES_FOLDER, namespace), { recursive: true, force: true });
    await this.#proxy?.remove();
    deleteLabState(this.#stateFile);
  }

  async #createHosts(call: Client, url: string): Promise<void> {
    const underlay = (this.#underlay = await Underlay.create());
    const proxy = (this.#proxy = await ControlPlaneProxy.create(underlay.gateway, () => url));
    const network = await createLabNetwork(call);
    for (const planned of LAB_HOSTS) {
      if (this.#isStopping) return;
      const machine = await underlay.createMachine(planned.name);
      this.#addNamespace(planned.name, machine.namespace);
      const { code, ...identity } = await addLabHost(call, network, planned, machine.address);
      const host = new OverlayHost({
        machine,
        ...identity,
        agent: findBuiltAgent(),
        nebula: this.#nebula,
        server: proxy.url,
      });
      this.#hosts.set(planned.name, host);
      await host.enroll(code);
      host.start();
      print(`  ${planned.name.padEnd(14)} ${host.address.padEnd(12)} ${planned.role}`);
      if (planned.is !== "router") continue;
      const printer = await underlay.createMachineBehind(machine, "printer", LAN);
      this.#addNamespace("printer", printer.namespace);
      await addRouteAndGuarantee(call, network, host.id);
    }
    this.#writeNames();
    for (const name of ["web-1", "web-2"]) this.#serveHttp(name);
  }

  #addNamespace(name: string, namespace: string): void {
    this.#state.namespaces[name] = namespace;
    writeLabState(this.#stateFile, this.#state);
  }

  /** Lets commands use the names of hosts instead of their addresses. */
  #writeNames(): void {
    const lines = [...this.#hosts].map(([name, { address }]) => `${address} ${name}`);
    const content = ["127.0.0.1 localhost", ...lines, `${LAN}.2 printer`, ""].join("\n");
    for (const namespace of Object.values(this.#state.namespaces)) {
      mkdirSync(join(NAMES_FOLDER, namespace), { recursive: true });
      writeFileSync(join(NAMES_FOLDER, namespace, "hosts"), content);
    }
  }

  #serveHttp(name: string): void {
    const program = `require("http").createServer((_, r) => r.end("Hello from ${name}\\n")).listen(80)`;
    this.#hosts.get(name)?.machine.spawn(process.execPath, ["-e", program]);
  }

  async #waitUntilOnline(): Promise<void> {
    const lighthouse = this.#hosts.get("lighthouse-1")?.address ?? "";
    const others = [...this.#hosts.values()].filter(({ address }) => address !== lighthouse);
    await Promise.all(
      others.map((host) =>
        until(
          `${host.machine.name} reaches the lighthouse`,
          () => this.#isStopping || host.probe.ping(lighthouse),
          { seconds: ONLINE_SECONDS_MAX },
        ),
      ),
    );
  }

  #printCommands(): void {
    print("\nAll hosts are connected. In another terminal, try:\n");
    print("  npm run lab -- exec laptop-1 -- ping -c 3 web-1");
    print("  npm run lab -- exec laptop-1 -- curl http://web-1");
    print("  npm run lab -- exec laptop-1 -- ping -c 3 printer    (through the route of router-1)");
    print("  npm run lab -- exec laptop-2 -- ping -c 3 printer    (no access)");
    print("\nBlock web-1 in the console and watch the ping stop. Press Ctrl-C to remove everything.\n");
  }
}
