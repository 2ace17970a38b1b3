/** Builds the Debian packages twice, and installs, upgrades, removes and purges them on a system with systemd. */
import { statSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../../free-port.ts";
import { describeStory } from "../../story.ts";
import { type BootedSystem, bootSystem } from "./booted-system.ts";
import { inMegabytes, recordFigure } from "./figures.ts";
import {
  type BuiltPackages,
  buildPackages,
  copyPackage,
  createNewerPackage,
  hashOf,
  removePackages,
} from "./packages.ts";
import { STARTING } from "./starting.ts";

let packages: BuiltPackages;
let system: BootedSystem;
let port: number;
beforeAll(async () => {
  packages = buildPackages();
  system = await bootSystem();
  port = await freePort();
  await system.run("apt-get update");
});
afterAll(async () => {
  await system?.stop();
  if (packages) removePackages(packages);
});

const install = (name: string) =>
  system.run(`apt-get install -y --no-install-recommends /root/${name}_*.deb`);
const isReady = () =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
const readVersion = (name: string) => system.run(`dpkg-query -W -f '\${Version}' ${name}`);
const exists = async (path: string) =>
  (await system.run(`test -e ${path} && echo yes || echo no`)) === "yes\n";

it("are the same after another build", () => {
  const again = buildPackages();
  try {
    for (const name of ["server", "agent"] as const) {
      expect(hashOf(again[name])).toBe(hashOf(packages[name]));
      recordFigure(
        "packages",
        `${name}: two builds`,
        `identical, ${inMegabytes(statSync(packages[name]).size)}`,
      );
    }
  } finally {
    removePackages(again);
  }
});

describeStory("the package of the server", () => {
  it("installs, and runs with the settings", async () => {
    copyPackage(packages.server, system.root);
    expect(await install("lightkeeper")).toContain("Edit /etc/lightkeeper/lightkeeper.env");
    expect(await system.run("systemctl is-enabled lightkeeper || true")).toBe("disabled\n");
    await system.run(
      `echo PORT=${port} >>/etc/lightkeeper/lightkeeper.env && systemctl enable --now lightkeeper`,
    );
    await expect.poll(isReady, STARTING).toBe(true);
    expect(await system.run("stat -c %U /proc/$(systemctl show -P MainPID lightkeeper)")).toBe(
      "lightkeeper\n",
    );
    expect(await system.run("lightkeeper help")).toContain("reset-second-factor");
    recordFigure("packages", "server: installed", "ready under systemd with the hardened unit");
  });

  it("is upgraded, keeps its settings and data, and restarts", async () => {
    const describe = () =>
      system.run("sha256sum /var/lib/lightkeeper-server/secret.key /etc/lightkeeper/lightkeeper.env");
    const readPid = () => system.run("systemctl show -P MainPID lightkeeper");
    const [before, pid] = [await describe(), await readPid()];
    await system.run("rm /root/lightkeeper_*.deb");
    copyPackage(createNewerPackage(packages.server), system.root);
    await install("lightkeeper");
    expect(await readVersion("lightkeeper")).toMatch(/\+newer$/);
    await expect.poll(isReady, STARTING).toBe(true);
    expect(await describe()).toBe(before);
    expect(await readPid()).not.toBe(pid);
    recordFigure("packages", "server: upgraded", "settings and data kept, restarted");
  });

  it("is removed without its settings and data, and purged with them, but without backups", async () => {
    await system.run("systemctl start lightkeeper-backup && apt-get remove -y lightkeeper");
    expect(await isReady()).toBe(false);
    expect(await system.run("systemctl is-active lightkeeper || true")).toBe("inactive\n");
    const data = ["/etc/lightkeeper/lightkeeper.env", "/var/lib/lightkeeper-server/secret.key"];
    for (const path of data) expect([path, await exists(path)]).toEqual([path, true]);
    expect(await exists("/usr/lib/lightkeeper")).toBe(false);
    await system.run("apt-get purge -y lightkeeper");
    for (const path of ["/etc/lightkeeper", "/var/lib/lightkeeper-server", "/usr/bin/lightkeeper"])
      expect([path, await exists(path)]).toEqual([path, false]);
    expect(await system.run("getent passwd lightkeeper || echo none")).toBe("none\n");
    expect(await system.run("ls /var/backups/lightkeeper")).toMatch(/\.export\n$/);
    recordFigure("packages", "server: removed and purged", "nothing left but the backups");
  });
});

describeStory("the package of the agent", () => {
  it("installs a service that waits for the enrollment", async () => {
    copyPackage(packages.agent, system.root);
    expect(await install("lightkeeper-agent")).toContain("Enroll this host");
    expect(await system.run("lightkeeper-agent --version")).toBe(
      `${await readVersion("lightkeeper-agent")}\n`,
    );
    expect(await system.run("systemctl is-enabled lightkeeper-agent")).toBe("enabled\n");
    await system.run("systemctl start lightkeeper-agent");
    expect(await system.run("systemctl show -P ConditionResult lightkeeper-agent")).toBe("no\n");
  });

  it("is upgraded, and purged with the keys of the host", async () => {
    await system.run("rm /root/lightkeeper-agent_*.deb");
    copyPackage(createNewerPackage(packages.agent), system.root);
    await install("lightkeeper-agent");
    expect(await readVersion("lightkeeper-agent")).toMatch(/\+newer$/);
    await system.run("install -d -m 700 /var/lib/lightkeeper && touch /var/lib/lightkeeper/state.json");
    await system.run("apt-get remove -y lightkeeper-agent");
    expect(await exists("/var/lib/lightkeeper/state.json")).toBe(true);
    await system.run("apt-get purge -y lightkeeper-agent");
    for (const path of ["/var/lib/lightkeeper", "/usr/bin/lightkeeper-agent", "/usr/lib/lightkeeper-agent"])
      expect([path, await exists(path)]).toEqual([path, false]);
    recordFigure("packages", "agent: installed, upgraded, removed, purged", "nothing left");
  });
});
