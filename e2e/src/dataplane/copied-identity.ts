/** A stolen identity: a copy of a host's certificate and key, used by a nebula without an agent. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { decodeCertificateV1, decodeCertificateV2, decodePem } from "@lightkeeper/nebula";
import { fingerprintV1, fingerprintV2 } from "@lightkeeper/nebula/signing";
import { parse } from "yaml";
import type { OverlayHost } from "./overlay-host.ts";
import { until } from "../until.ts";

interface NebulaConfig {
  pki: { cert: string; key: string };
}

export class CopiedIdentity {
  /** As in blocklists. */
  readonly fingerprint: string;
  private readonly host: OverlayHost;
  private readonly config: NebulaConfig;
  private readonly key: string;

  /** The host's nebula must be running. The copy can have an altered certificate. */
  constructor(host: OverlayHost, alterCertificate = (pem: string) => pem) {
    this.host = host;
    const { pki, ...config } = parse(host.file("nebula.yml")) as NebulaConfig;
    const cert = alterCertificate(pki.cert);
    this.config = { ...config, pki: { ...pki, cert } };
    this.key = host.file(basename(pki.key));
    this.fingerprint = fingerprintOf(cert);
  }

  /** Runs the copy on the host's machine during `work`; the agent must be stopped. */
  async runDuring(work: () => Promise<void>): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), "lightkeeper-copy-"));
    const key = join(folder, "host.key");
    const config = join(folder, "config.yml");
    writeFileSync(key, this.key, { mode: 0o600 });
    writeFileSync(config, JSON.stringify({ ...this.config, pki: { ...this.config.pki, key } }));
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

/** The fingerprint of the certificate that a host has received last. */
export const readFingerprint = (host: OverlayHost) => fingerprintOf(host.state().intended.certificate);

function fingerprintOf(pem: string): string {
  return pem.startsWith("-----BEGIN NEBULA CERTIFICATE V2-----")
    ? fingerprintV2(decodeCertificateV2(decodePem("NEBULA CERTIFICATE V2", pem)))
    : fingerprintV1(decodeCertificateV1(decodePem("NEBULA CERTIFICATE", pem)));
}
