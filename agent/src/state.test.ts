import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { State } from "./state.ts";
import { StateDirectory } from "./state.ts";

let root: string;
let directory: StateDirectory;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "lk-state-"));
  directory = new StateDirectory(join(root, "deep/state"));
  directory.prepare();
});
afterEach(() => rmSync(root, { recursive: true }));

const state = (counter: number): State => ({
  format: 1,
  server: "https://lightkeeper.example",
  nebula: "nebula",
  hostID: "host-A",
  counter,
  hostKey: "secret",
  trustedKeys: "",
  organization: { id: "org-1", name: "Example" },
  network: { id: "network-1", name: "Network1", curve: "25519", cidr: "", cidrs: [] },
  host: { id: "host-A", name: "web-1", ipAddress: "", ipAddresses: [] },
  enrolledAt: "2026-01-01T00:00:00.000Z",
  intended: { config: "pki: {}", certificate: "", nebulaKey: "secret" },
  lastGood: null,
});
const mode = (path: string) => statSync(path).mode & 0o777;

describe("the state directory", () => {
  it("and every file in it are accessible to their owner only", () => {
    directory.save(state(1));
    directory.saveEnrollment(state(2));
    directory.write("status.json", "{}");
    expect(mode(directory.directory)).toBe(0o700);
    for (const name of directory.list()) expect(mode(directory.path(name))).toBe(0o600);
  });

  it("is rejected if other users can access it", () => {
    chmodSync(directory.directory, 0o755);
    expect(() => directory.prepare()).toThrow("chmod 700");
  });

  it("returns the saved state and contains no other files", () => {
    directory.save(state(1));
    directory.save(state(2));
    directory.probe();
    expect(directory.load()).toEqual(state(2));
    expect(directory.list()).toEqual(["state.json"]);
  });

  it("reports that there is no enrollment", () => {
    expect(directory.peek()).toBeUndefined();
    expect(() => directory.load()).toThrow("not enrolled");
  });

  it("adopts a new enrollment on load, but not on peek", () => {
    directory.save(state(5));
    directory.saveEnrollment(state(1));
    expect(directory.peek()).toEqual(state(1));
    expect(directory.list()).toContain("enrollment.json");
    expect(directory.load()).toEqual(state(1));
    expect(directory.list()).toEqual(["state.json"]);
  });

  it("removes incomplete files of killed processes, but not those being written", () => {
    directory.save(state(1));
    for (const name of ["old.unfinished", "new.unfinished"]) writeFileSync(directory.path(name), '{"format"');
    const before = Date.now() / 1000 - 300;
    utimesSync(directory.path("old.unfinished"), before, before);
    expect(directory.load()).toEqual(state(1));
    expect(directory.list().toSorted()).toEqual(["new.unfinished", "state.json"]);
  });

  it("keeps the old state when the new state can't be written", () => {
    directory.save(state(1));
    expect(() => directory.write("no/such/folder", "text")).toThrow();
    expect(directory.load()).toEqual(state(1));
    expect(directory.list()).toEqual(["state.json"]);
  });

  it("does not quote a damaged file", () => {
    writeFileSync(directory.path("state.json"), '{"hostKey":"very secret"');
    expect(() => directory.load()).toThrow(/^\S+state\.json is damaged\. To enroll again, run: [^"]+$/);
  });

  it("rejects an unknown format", () => {
    writeFileSync(directory.path("state.json"), '{"format":2}');
    expect(() => directory.load()).toThrow("an incompatible version");
  });
});

describe("removing the state directory", () => {
  it("removes every file of the agent and then the directory", () => {
    directory.save(state(1));
    for (const name of [
      "nebula.yml",
      "nebula-0123456789abcdef.key",
      "nebula.log",
      "sshd.key",
      "nebula-process.json",
      "run.1234.5678.pid",
      "status.json",
    ])
      directory.write(name, "");
    directory.removeAll();
    expect(existsSync(directory.directory)).toBe(false);
  });

  it("keeps other files", () => {
    directory.save(state(1));
    writeFileSync(directory.path("diary.txt"), "dear");
    directory.removeAll();
    expect(readdirSync(directory.directory)).toEqual(["diary.txt"]);
    expect(readFileSync(directory.path("diary.txt"), "utf8")).toBe("dear");
  });
});
