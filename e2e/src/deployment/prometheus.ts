/** A real Prometheus with the files of deploy/monitoring. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { freePort } from "../free-port.ts";
import { until } from "../until.ts";
import { DEPLOY, readText } from "./deploy-files.ts";

interface Rule {
  alert: string;
  expr: string;
}
interface Panel {
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  datasource: { uid: string };
  targets: { refId: string; expr: string }[];
}
interface Dashboard {
  panels: Panel[];
  templating: { list: { name: string }[] };
}
interface RuleTest {
  name: string;
  alert_rule_test: { alertname: string; exp_alerts: unknown[] }[];
}

const MONITORING = "deploy/monitoring";
export const RULES = join(DEPLOY, "monitoring/lightkeeper.rules.yml");

export const readRules = () =>
  (parse(readText(`${MONITORING}/lightkeeper.rules.yml`)) as { groups: { rules: Rule[] }[] }).groups.flatMap(
    ({ rules }) => rules,
  );
export const readRuleTests = () =>
  (parse(readText(`${MONITORING}/lightkeeper.rules.test.yml`)) as { tests: RuleTest[] }).tests;
export const readDashboard = () => JSON.parse(readText(`${MONITORING}/grafana-dashboard.json`)) as Dashboard;

/** Replaces the variables of Grafana as Grafana does for all processes. */
export const expandVariables = (expr: string) =>
  expr.replaceAll("$__rate_interval", "10s").replaceAll("$instance", ".*");

/** Returns the output; throws an error with the output if promtool fails. */
export const runPromtool = (...args: string[]) =>
  execFileSync("promtool", args, { encoding: "utf8", cwd: join(DEPLOY, "monitoring"), stdio: "pipe" });

export interface Prometheus {
  query: (expr: string) => Promise<unknown[]>;
  /** The names of the alerts that Prometheus evaluates, with an error if the last evaluation failed. */
  alerts: () => Promise<{ name: string; health: string; lastError?: string }[]>;
  stop: () => Promise<void>;
}

/** The settings of prometheus.yml for a server without TLS on this machine. */
function localSettings(serverURL: string): string {
  const settings = parse(readText(`${MONITORING}/prometheus.yml`)) as {
    scrape_configs: Record<string, unknown>[];
  };
  const [{ job_name }] = settings.scrape_configs as [Record<string, unknown>];
  const targets = [new URL(serverURL).host];
  return stringify({
    global: { scrape_interval: "1s", evaluation_interval: "1s" },
    scrape_configs: [{ job_name, scheme: "http", static_configs: [{ targets }] }],
    rule_files: [RULES],
  });
}

export async function startPrometheus(serverURL: string): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), "lightkeeper-prometheus-"));
  const file = join(folder, "prometheus.yml");
  writeFileSync(file, localSettings(serverURL));
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(
    "prometheus",
    [`--config.file=${file}`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=${address}`],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const read = async <T>(path: string): Promise<T> => {
    const { data } = (await (await fetch(`http://${address}/api/v1/${path}`)).json()) as { data: T };
    return data;
  };
  await waitUntilReady(child, address);
  return {
    query: async (expr) =>
      (await read<{ result: unknown[] }>(`query?query=${encodeURIComponent(expr)}`)).result,
    alerts: async () =>
      (
        await read<{ groups: { rules: { name: string; health: string; lastError?: string }[] }[] }>("rules")
      ).groups.flatMap(({ rules }) => rules),
    stop: async () => {
      const exited = new Promise((done) => child.once("exit", done));
      child.kill("SIGTERM");
      await exited;
      rmSync(folder, { recursive: true });
    },
  };
}

async function waitUntilReady(child: ChildProcess, address: string): Promise<void> {
  let log = "";
  child.stderr?.on("data", (chunk: Buffer) => (log += chunk.toString()));
  await until("Prometheus is ready", async () => {
    if (child.exitCode !== null) throw new Error(`Prometheus didn't start:\n${log}`);
    return fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
}
