import { mkdtempSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NebulaLog, rankOf, readComplaint, readLine } from "./logs.ts";

describe("the log file", () => {
  let folder: string;
  let log: NebulaLog;
  const told: string[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "lk-log-"));
    log = new NebulaLog(join(folder, "nebula.log"));
    told.length = 0;
    log.lines.on("line", (line) => told.push(line));
  });
  afterEach(() => {
    log.close();
    rmSync(folder, { recursive: true });
  });

  it("tells whole lines, however they arrive", () => {
    for (const part of ["one\ntw", "o\n", "thr", "ee\n"]) {
      writeSync(log.file, part);
      log.drain();
    }
    expect(told).toEqual(["one", "two", "three"]);
  });

  it("tells letters that arrive in halves", () => {
    const [first, ...rest] = Buffer.from("ä\n");
    writeSync(log.file, Buffer.of(first ?? 0));
    log.drain();
    writeSync(log.file, Buffer.from(rest));
    log.drain();
    expect(told).toEqual(["ä"]);
  });

  it("starts over before it grows large, and loses no line to that", () => {
    const line = "x".repeat(999);
    for (let count = 0; count < 3000; count += 1) {
      writeSync(log.file, `${line}\n`);
      if (count % 100 === 0) log.drain();
    }
    log.drain();
    expect(told).toHaveLength(3000);
    expect(statSync(join(folder, "nebula.log")).size).toBeLessThan(1_200_000);
  });
});

describe("a line", () => {
  it.each([
    ['{"level":"info","msg":"a"}', { level: "info", msg: "a" }],
    ['time="2026-11-15T05:29:25Z" level=info msg="firewall:\\n"', { level: "info", msg: '"firewall:\\n"' }],
    ["panic: runtime error", { level: "error", msg: "panic: runtime error" }],
    ["1", { level: "error", msg: "1" }],
  ])("%s is read", (line, expected) => {
    expect(readLine(line)).toMatchObject(expected);
  });

  it("knows levels by the names of every version", () => {
    expect(["panic", "FATAL", "error", "WARN", "INFO", "debug"].map(rankOf)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(rankOf("warning")).toBe(rankOf("warn"));
    expect(rankOf(undefined)).toBe(rankOf("error"));
  });
});

describe("what nebula complains of", () => {
  it.each([
    [
      "1.6.1, whose first line is the configuration",
      'time="now" level=info msg="pki:\\n  key: secret"\n{"error":"proto was not understood; `zzz`","level":"error","msg":"Error while loading firewall rules"}\n',
      "Error while loading firewall rules: proto was not understood; `zzz`",
    ],
    [
      "1.11.0",
      '{"level":"INFO","msg":"pki: secret"}\n{"level":"ERROR","msg":"Failed","error":"no entry"}\n',
      "Failed: no entry",
    ],
    ["broken YAML", "failed to load config: yaml: line 1\n", "failed to load config: yaml: line 1"],
    ["nothing but the configuration", 'time="now" level=info msg="secret"\n', undefined],
  ])("is taken from %s", (_, output, expected) => {
    expect(readComplaint(output)).toBe(expected);
  });
});
