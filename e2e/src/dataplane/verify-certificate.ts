import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isNebulaTooOld } from "@lightkeeper/nebula";
import { parse } from "yaml";
import type { OverlayHost } from "./overlay-host.ts";
import { sh } from "./shell.ts";
import { findNebulaBinaries } from "./test-network.ts";

/**
 * Verifies the certificate of a host against the CAs that it trusts with each nebula-cert that supports its network, and
 * returns their versions. Throws if one of them rejects it.
 */
export async function verifyCertificate(
  network: Parameters<typeof isNebulaTooOld>[0],
  host: OverlayHost,
): Promise<string[]> {
  const { pki } = parse(host.file("nebula.yml")) as { pki: { ca: string; cert: string } };
  const folder = mkdtempSync(join(tmpdir(), "lightkeeper-certificate-"));
  const [ca, certificate] = [join(folder, "ca.crt"), join(folder, "host.crt")];
  writeFileSync(ca, pki.ca);
  writeFileSync(certificate, pki.cert);
  try {
    const supporting = (await findNebulaBinaries()).filter(
      ({ version }) => !isNebulaTooOld(network, version),
    );
    for (const { nebulaCert } of supporting) await sh(nebulaCert, "verify", "-ca", ca, "-crt", certificate);
    return supporting.map(({ version }) => version);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
