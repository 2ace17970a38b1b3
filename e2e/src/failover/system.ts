/** Three servers behind HAProxy, on a database that fails over, all on the loopback interface. */
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseCluster } from "./database-cluster.ts";
import { createDeployment, type Deployment, type Machine, MACHINES, parseEnvironment } from "./deployment.ts";
import { ManagedProcess } from "./managed-process.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
export const SERVER_PROGRAM = join(ROOT, "server/dist/main.js");
const HTTP_PORT = 8080;

export interface System {
  deployment: Deployment;
  database: DatabaseCluster;
  /** Contains the files of all processes. */
  folder: string;
  /** The origin of the load balancer. */
  url: string;
  /** The database's primary, through the load balancer. */
  databaseURL: string;
  /** The environment of every server. */
  environment: Record<string, string>;
  loadBalancer: ManagedProcess;
  servers: Record<Machine, ManagedProcess>;
  /** Replaces the program of a server, which must not be running. */
  replaceServer: (machine: Machine, program: string) => void;
  startAll: () => Promise<void>;
  /** Also removes the files, unless they are kept to find out what went wrong. */
  stopAll: (options?: { keepFiles?: boolean }) => Promise<void>;
}

export interface SystemOptions {
  /** Promotes a standby sooner than patroni.yml says. */
  isFast?: boolean;
}

const isReady = (url: string) =>
  fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2000) }).then(
    ({ ok }) => ok,
    () => false,
  );

function createLoadBalancer(deployment: Deployment, folder: string): ManagedProcess {
  const errorFile = join(folder, "unavailable.http");
  writeFileSync(errorFile, deployment.render("unavailable.http"));
  const config = join(folder, "haproxy.cfg");
  const replacements = [
    // The simulated agents don't speak TLS.
    ["443 ssl crt /etc/haproxy/nebula.example.com.pem", String(HTTP_PORT)],
    ["/etc/haproxy/unavailable.http", errorFile],
  ] as const;
  writeFileSync(config, deployment.render("haproxy.cfg", { replacements }));
  return new ManagedProcess({
    name: "HAProxy",
    command: "/usr/sbin/haproxy",
    args: ["-W", "-db", "-f", config],
    logFile: join(folder, "haproxy.log"),
    isReady: () =>
      fetch(`http://${deployment.loadBalancer}:${HTTP_PORT}/healthz`).then(
        () => true,
        () => false,
      ),
  });
}

function createEnvironment(
  { render, loadBalancer }: Deployment,
  folder: string,
  machine: Machine,
  secretKey: string,
): Record<string, string> {
  const dataDir = join(folder, `server${machine}`);
  mkdirSync(dataDir);
  const replacements = [["the-same-on-every-machine-from-openssl-rand", secretKey]] as const;
  return {
    ...parseEnvironment(render("lightkeeper.env", { machine, replacements })),
    DATA_DIR: dataDir,
    LOG_LEVEL: "warn",
    FREE_PLAN_HOST_LIMIT: "100000",
    WEBHOOK_ALLOWED_HOSTS: "127.0.0.1",
    // Nothing accepts email here.
    SMTP_URL: `smtp://${loadBalancer}:1`,
  };
}

/** Nothing runs yet. */
export function createSystem(options: SystemOptions = {}): System {
  const folder = mkdtempSync(join(tmpdir(), "lightkeeper-failover-"));
  // The database runs as another user, who needs access to this folder.
  chmodSync(folder, 0o711);
  const deployment = createDeployment();
  const database = new DatabaseCluster(deployment, { ...options, folder });
  const loadBalancer = createLoadBalancer(deployment, folder);
  const secretKey = randomBytes(32).toString("base64");
  const environments = MACHINES.map((machine) => createEnvironment(deployment, folder, machine, secretKey));
  const createServer = (machine: Machine, program: string) =>
    new ManagedProcess({
      name: `server ${machine}`,
      command: process.execPath,
      args: [program, "serve"],
      environment: environments[machine - 1]!,
      logFile: join(folder, `server${machine}.log`),
      isReady: () => isReady(`http://${deployment.addressOf(machine)}:${HTTP_PORT}`),
    });
  const servers = {
    1: createServer(1, SERVER_PROGRAM),
    2: createServer(2, SERVER_PROGRAM),
    3: createServer(3, SERVER_PROGRAM),
  };
  return {
    deployment,
    database,
    folder,
    url: `http://${deployment.loadBalancer}:${HTTP_PORT}`,
    databaseURL: environments[0]!.DATABASE_URL!,
    environment: environments[0]!,
    loadBalancer,
    servers,
    replaceServer: (machine, program) => {
      servers[machine] = createServer(machine, program);
    },
    async startAll() {
      await database.start();
      await loadBalancer.start();
      await Promise.all(MACHINES.map((machine) => servers[machine].start()));
      await database.waitUntilComplete();
    },
    async stopAll({ keepFiles = false } = {}) {
      await Promise.all(
        [loadBalancer, ...MACHINES.map((machine) => servers[machine])].map((each) => each.end()),
      );
      await database.stop();
      if (!keepFiles) rmSync(folder, { recursive: true, force: true });
    },
  };
}
