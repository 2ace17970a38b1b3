import { mkdtempSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NebulaLog, verbosityOf, readErrorMessage, parseLogLine } from "./nebula-log.ts";

describe("the log file", () => {
  let folder: string;
  let log: NebulaLog;
  const emitted: string[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "lk-log-"));
    log = new NebulaLog(join(folder, "nebula.log"));
    emitted.length = 0;
    log.lines.on("line", (line) => emitted.push(line));
  });
  afterEach(() => {
    log.close();
    rmSync(folder, { recursive: true });
  });

  it("emits whole lines, however they are written", () => {
    for (const part of ["one\ntw", "o\n", "thr", "ee\n"]) {
      writeSync(log.file, part);
      log.drain();
    }
    expect(emitted).toEqual(["one", "two", "three"]);
  });

  it("decodes characters that are written in two parts", () => {
    const [first, ...rest] = Buffer.from("ä\n");
    writeSync(log.file, Buffer.of(first ?? 0));
    log.drain();
    writeSync(log.file, Buffer.from(rest));
    log.drain();
    expect(emitted).toEqual(["ä"]);
  });

  it("can be read again from before it was opened", () => {
    writeSync(log.file, "one\ntwo\n");
    const next = new NebulaLog(join(folder, "nebula.log"));
    writeSync(log.file, "three\n");
    expect(next.readEarlierLines()).toEqual(["one", "two", ""]);
    next.drain();
    expect(next.readEarlierLines()).toEqual(["one", "two", "three", ""]);
    next.close();
  });

  it("is truncated before it grows large, without losing a line", () => {
    const line = "x".repeat(999);
    for (let count = 0; count < 3000; count += 1) {
      writeSync(log.file, `${line}\n`);
      if (count % 100 === 0) log.drain();
    }
    log.drain();
    expect(emitted).toHaveLength(3000);
    expect(statSync(join(folder, "nebula.log")).size).toBeLessThan(1_200_000);
  });
});

describe("a line", () => {
  it.each([
    ['{"level":"info","msg":"a"}', { level: "info", msg: "a" }],
    ['time="2026-11-15T05:29:25Z" level=info msg="firewall:\\n"', { level: "info", msg: '"firewall:\\n"' }],
    ["panic: runtime error", { level: "error", msg: "panic: runtime error" }],
    ["1", { level: "error", msg: "1" }],
  ])("%s is parsed", (line, expected) => {
    expect(parseLogLine(line)).toMatchObject(expected);
  });

  it("accepts the level names of every nebula version", () => {
    expect(["panic", "FATAL", "error", "WARN", "INFO", "debug"].map(verbosityOf)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(verbosityOf("warning")).toBe(verbosityOf("warn"));
    expect(verbosityOf(undefined)).toBe(verbosityOf("error"));
  });
});

describe("the error message", () => {
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
    expect(readErrorMessage(output)).toBe(expected);
  });
});
