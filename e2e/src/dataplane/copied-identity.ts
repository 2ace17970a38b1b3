/** A stolen identity: a copy of a host's certificate and key, used by a nebula without an agent. */
import type { ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OverlayHost } from "./overlay-host.ts";
import { until } from "../until.ts";

const KEY = /nebula-[0-9a-f]+\.key/;

export class CopiedIdentity {
  /** As in blocklists. */
  readonly fingerprint: string;
  private readonly host: OverlayHost;
  private readonly config: string;
  private readonly keyName: string;
  private readonly key: string;

  /** The host's nebula must be running. */
  constructor(host: OverlayHost) {
    this.host = host;
    this.config = host.file("nebula.yml");
    this.keyName = KEY.exec(this.config)?.[0] ?? "";
    this.key = host.file(this.keyName);
    this.fingerprint = fingerprintOf(host.state().intended.certificate);
  }

  /** Runs the copy on the host's machine during `work`; the agent must be stopped. */
  async runDuring(work: () => Promise<void>): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), "lightkeeper-copy-"));
    const key = join(folder, "host.key");
    const config = join(folder, "config.yml");
    writeFileSync(key, this.key, { mode: 0o600 });
    writeFileSync(config, this.config.replaceAll(join(this.host.stateDirectory, this.keyName), key));
    const child = this.host.machine.spawn(this.host.nebula, ["-config", config]);
    try {
      await untilUp(child);
      await work();
    } finally {
      const exited = once(child, "exit");
      if (child.kill("SIGKILL")) await exited;
      rmSync(folder, { recursive: true });
    }
  }
}

/** Waits until nebula's interface is up; throws with its output if it exits. */
export async function untilUp(child: ChildProcess): Promise<void> {
  let printed = "";
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
  await until("nebula is up", () => {
    if (child.exitCode !== null) throw new Error(`nebula exited: ${printed}`);
    return printed.includes("Nebula interface is active");
  });
}

/** For version 1 certificates. */
export function fingerprintOf(pem: string): string {
  const base64 = pem.replace(/-----[^-]+-----/g, "");
  return createHash("sha256").update(Buffer.from(base64, "base64")).digest("hex");
}
