/** Issuing a host's certificate, compared with the signature alone and with the program of Nebula. */
import { execFileSync } from "node:child_process";
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeDetailsV1, parseCidr } from "@lightkeeper/nebula";
import { createCa, createSigner } from "@lightkeeper/nebula/signing";
import { type Figure, median } from "./figure.ts";

const ROUNDS = 60;
const PER_ROUND = 250;
const LIMIT = 0.5;
/** Installed by `scripts/prepare.mjs --tests`. */
const PROGRAM = "/usr/bin/nebula-cert";
const PROGRAM_RUNS = 20;
const PROGRAM_RATIO_LIMIT = 20;

const details = () => ({
  name: "web-fra-014",
  networks: [parseCidr("10.10.3.7/16") ?? { address: 0, prefixLength: 16 }],
  unsafeNetworks: [],
  groups: ["role:role-PYVJ7NEKGDGEZZBWTQZRKSTHSM", "tag:env:production", "tag:team:web", "tag:site:fra"],
  notBefore: new Date("2026-01-01T00:00:00Z"),
  notAfter: new Date("2027-01-01T00:00:00Z"),
  publicKey: new Uint8Array(randomBytes(32)),
  isCa: false,
  issuer: "7f9c1d0e5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a0b9c8d",
});

function cpuMicroseconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Milliseconds to issue one certificate with `nebula-cert`, which has to start for each. */
function measureProgram(): number {
  const folder = mkdtempSync(join(tmpdir(), "lightkeeper-bench-"));
  const run = (...args: string[]) => execFileSync(PROGRAM, args, { cwd: folder, stdio: "ignore" });
  try {
    run("ca", "-name", "Benchmark CA");
    const times = Array.from({ length: PROGRAM_RUNS }, (_, index) => {
      const startedAt = performance.now();
      run("sign", "-name", `host-${index}`, "-ip", "10.10.3.7/16", "-groups", "web,production");
      return performance.now() - startedAt;
    });
    return median(times);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function certificates(): Promise<Figure[]> {
  const [notBefore, notAfter] = [new Date("2026-01-01T00:00:00Z"), new Date("2031-01-01T00:00:00Z")];
  const signer = createSigner(createCa({ name: "Benchmark CA", notBefore, notAfter }).privateKey);
  const { privateKey } = generateKeyPairSync("ed25519");
  const requests = Array.from({ length: PER_ROUND }, details);
  const messages = requests.map((request) => encodeDetailsV1(request));
  const issue = () => requests.forEach((request) => signer.issueV1(request));
  const signOnly = () => messages.forEach((message) => sign(null, message, privateKey));
  issue();
  signOnly();
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const issuing = cpuMicroseconds(issue);
    const signing = cpuMicroseconds(signOnly);
    ratios.push(signing / issuing);
  }
  return [
    {
      what: "certificates issued in the CPU time of a raw signature",
      detail: `median of ${ROUNDS} rounds of ${PER_ROUND}`,
      value: median(ratios),
      unit: "×",
      limit: LIMIT,
      limitIs: "at least",
    },
    measureAgainstProgram(issue),
  ];
}

function measureAgainstProgram(issue: () => void): Figure {
  const startedAt = performance.now();
  issue();
  const issueMs = (performance.now() - startedAt) / PER_ROUND;
  const programMs = measureProgram();
  return {
    what: "certificates issued in the time of a run of nebula-cert",
    detail: `${issueMs.toFixed(3)} ms against ${programMs.toFixed(1)} ms`,
    value: programMs / issueMs,
    unit: "×",
    limit: PROGRAM_RATIO_LIMIT,
    limitIs: "at least",
  };
}
