/** The files in deploy/, and the pages that show them. */
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { fileNamedBy, readCodeBlocks } from "./code-blocks.ts";
import { DEPLOY, readText } from "./deploy-files.ts";

describe("the documentation", () => {
  const blocks = [...readCodeBlocks("docs/production.md"), ...readCodeBlocks("docs/containers.md")];

  it.each([
    ["lightkeeper.service", "/usr/lib/systemd/system/lightkeeper.service"],
    ["lightkeeper.env", "/etc/lightkeeper/lightkeeper.env"],
    ["Caddyfile", "/etc/caddy/Caddyfile"],
  ])("shows %s as it is", (file, path) => {
    const shown = blocks.filter((block) => fileNamedBy(block) === path);
    expect(shown.map(({ text }) => text)).toEqual([readText(`deploy/${file}`)]);
  });

  it("shows compose.yaml as it is", () => {
    const shown = blocks.filter(({ language }) => language === "yaml");
    expect(shown.map(({ text }) => text)).toEqual([readText("deploy/compose.yaml")]);
  });
});

describe("the systemd unit", () => {
  const unit = join(DEPLOY, "lightkeeper.service");
  const analyze = (...args: string[]) =>
    spawnSync("systemd-analyze", [...args, unit], { encoding: "utf8", env: { PATH: process.env.PATH } });

  it("has a low exposure, which depends a little on the version of systemd", () => {
    // The threshold is in tenths.
    const { status, stdout } = analyze("security", "--offline=true", "--no-pager", "--threshold=13");
    expect([status, stdout]).toEqual([
      0,
      expect.stringContaining("exposure level for lightkeeper.service: 1."),
    ]);
  });

  it("leaves the settings and the data directory to the files of the package", () => {
    const text = readText("deploy/lightkeeper.service");
    const [, dataDir] = /^DATA_DIR=(.+)$/m.exec(readText("deploy/lightkeeper.env"))!;
    expect(text).toContain(`\nStateDirectory=${dataDir!.replace("/var/lib/", "")}\n`);
    expect(text).toContain(
      `\nEnvironmentFile=/${readText("deploy/debian/lightkeeper/conffiles").trim().slice(1)}\n`,
    );
  });
});

it("the package, the image and `npm start` run Node with the same options for garbage collection", () => {
  const { scripts } = JSON.parse(readText("package.json")) as { scripts: { start: string } };
  const flagsOf = (text: string) => text.match(/--[\w=-]*(semi-space|marking)[\w=-]*/g);
  const flags = [
    "--max-semi-space-size=64",
    "--concurrent-marking-max-worker-num=1",
    "--no-incremental-marking-task",
  ];
  for (const text of [
    scripts.start,
    readText("deploy/Containerfile"),
    readText("deploy/lightkeeper.service"),
  ])
    expect(flagsOf(text)).toEqual(flags);
});

describe("the scripts of the packages", () => {
  const scripts = ["lightkeeper", "lightkeeper-agent"].flatMap((name) =>
    ["postinst", "prerm", "postrm"].map((script) => join(DEPLOY, "debian", name, script)),
  );
  it.each([...scripts, join(DEPLOY, "lightkeeper.sh")])("%s is valid for sh", (script) => {
    expect(() => execFileSync("sh", ["-n", script], { stdio: "pipe" })).not.toThrow();
  });
});

interface Service {
  image: string;
  environment?: Record<string, string>;
  command?: string;
  volumes: string[];
  read_only: boolean;
  cap_drop: string[];
  security_opt: string[];
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
}

describe("compose.yaml", () => {
  const { services, volumes } = parse(readText("deploy/compose.yaml")) as {
    services: Record<"lightkeeper" | "postgres" | "caddy", Service>;
    volumes: Record<string, null>;
  };
  const all = Object.entries(services);

  it("runs Lightkeeper, PostgreSQL and Caddy", () => {
    expect(all.map(([name]) => name)).toEqual(["lightkeeper", "postgres", "caddy"]);
  });

  it.each(all)("gives %s a read-only file system and no privileges", (_name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
    });
  });

  it("keeps data in named volumes only", () => {
    const used = all.flatMap(([, service]) => service.volumes.map((volume) => volume.split(":")[0]!));
    expect(used.sort()).toEqual(Object.keys(volumes).sort());
  });

  it("starts each service when those that it needs are healthy, which each can tell", () => {
    const needed = all.flatMap(([, { depends_on = {} }]) => Object.entries(depends_on));
    expect(needed).toEqual([
      ["postgres", { condition: "service_healthy" }],
      ["lightkeeper", { condition: "service_healthy" }],
    ]);
    expect(services.postgres.healthcheck?.test[0]).toBe("CMD");
    expect(services.caddy.healthcheck?.test[0]).toBe("CMD");
    expect(readText("deploy/Containerfile")).toContain("\nHEALTHCHECK ");
  });

  it("contains no secret: they are in files next to it", () => {
    const values = all.flatMap(([, { environment = {} }]) => Object.entries(environment));
    const secrets = values.filter(([name]) => /PASSWORD|SECRET|DATABASE_URL/.test(name));
    expect(secrets.length).toBe(2);
    for (const [, value] of secrets) expect(value).toContain("${POSTGRES_PASSWORD}");
  });
});
