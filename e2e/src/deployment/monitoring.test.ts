/** The alert rules and the dashboard of deploy/monitoring, with promtool and a real Prometheus. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { stringify } from "yaml";
import { PATIENT } from "../steps.ts";
import {
  expandVariables,
  type Prometheus,
  readDashboard,
  readRules,
  readRuleTests,
  RULES,
  runPromtool,
  startPrometheus,
} from "./prometheus.ts";
import { readText } from "./deploy-files.ts";

const server = inject("server");
const rules = readRules();
const { panels, templating } = readDashboard();
const targets = panels.flatMap((panel) =>
  panel.targets.map(({ expr }) => ({ title: panel.title, expr: expandVariables(expr) })),
);

describe("the alert rules", () => {
  it("are valid", () => {
    expect(runPromtool("check", "rules", RULES)).toContain(`SUCCESS: ${rules.length} rules found`);
  });

  it("fire and don't fire as their tests say", () => {
    expect(runPromtool("test", "rules", "lightkeeper.rules.test.yml")).toContain("SUCCESS");
  });

  it("each have a test in which they fire and one in which they don't", () => {
    const outcomes = readRuleTests().flatMap((test) =>
      test.alert_rule_test.map(({ alertname, exp_alerts }) => `${alertname} ${exp_alerts.length > 0}`),
    );
    expect(outcomes.sort()).toEqual(rules.flatMap(({ alert }) => [`${alert} false`, `${alert} true`]).sort());
  });
});

describe("the dashboard", () => {
  it("has panels that don't overlap, and queries of the selected data source", () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
    expect(templating.list.map(({ name }) => name)).toEqual(["datasource", "instance"]);
    expect(new Set(panels.map(({ datasource }) => datasource.uid))).toEqual(new Set(["${datasource}"]));
  });

  it("has valid queries", () => {
    const folder = mkdtempSync(join(tmpdir(), "lightkeeper-queries-"));
    const file = join(folder, "queries.yml");
    const records = targets.map(({ expr }, index) => ({ record: `query:${index}`, expr }));
    writeFileSync(file, stringify({ groups: [{ name: "dashboard", rules: records }] }));
    try {
      expect(runPromtool("check", "rules", file)).toContain(`SUCCESS: ${targets.length} rules found`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** The metrics and label names of an expression, such as `up` and `up job`. */
function selectorsOf(expr: string): string[] {
  const selectors = [...expr.matchAll(/\b((?:lightkeeper|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)];
  return selectors.flatMap(([, metric = "", matchers = ""]) => [
    metric,
    ...[...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => `${metric} ${label}`),
  ]);
}

/** What Prometheus adds to every series. */
const isAdded = (selector: string) => / (?:job|instance)$/.test(selector);

describe("with a real server", () => {
  let prometheus: Prometheus;
  beforeAll(async () => {
    await fetch(`${server.url}/openapi.json`);
    prometheus = await startPrometheus(server.url);
  });
  afterAll(() => prometheus.stop());

  it("dashboard and rules name only metrics and labels that the server exports", async () => {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    const exported = new Set(
      [...text.matchAll(/^(\w+)(?:\{(.*)\})? /gm)].flatMap(([, metric = "", labels = ""]) => [
        metric,
        ...[...labels.matchAll(/(\w+)="/g)].map(([, label]) => `${metric} ${label}`),
      ]),
    );
    const used = [...targets, ...rules].flatMap(({ expr }) => selectorsOf(expr));
    expect(used.length).toBeGreaterThan(targets.length + rules.length);
    expect(used.filter((selector) => !isAdded(selector) && !exported.has(selector))).toEqual([]);
  });

  it("every panel shows data", async () => {
    const findEmpty = async () => {
      await fetch(`${server.url}/openapi.json`);
      const results = await Promise.all(targets.map(({ expr }) => prometheus.query(expr)));
      return targets.filter((_, index) => results[index]?.length === 0).map(({ title }) => title);
    };
    await expect.poll(findEmpty, { ...PATIENT, interval: 1000 }).toEqual([]);
  });

  it("Prometheus evaluates every rule", async () => {
    const names = rules.map(({ alert }) => `${alert} ok`);
    await expect
      .poll(async () => (await prometheus.alerts()).map(({ name, health }) => `${name} ${health}`), PATIENT)
      .toEqual(names);
  });
});

describe("docs/monitoring.md", () => {
  it.each(["lightkeeper.rules.yml", "prometheus.yml"])("shows %s as it is", (file) => {
    expect(readText("docs/monitoring.md")).toContain(
      `\n\`\`\`yaml\n${readText(`deploy/monitoring/${file}`)}\`\`\`\n`,
    );
  });
});
