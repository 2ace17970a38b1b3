import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { NebulaBinaries } from "../../scripts/nebula-versions.d.mts";
import { nebulaBinaries } from "../../scripts/nebula-versions.mjs";
import { createCa, createSigner } from "./ca.ts";
import { EXAMPLES, HOST_PRIVATE_KEY } from "../test-data/config-examples.ts";
import { renderConfig } from "./config.ts";
import type { ConfigInput } from "./config.ts";
import { HOST_V2 } from "../test-data/certificate-v2-vectors.ts";
import { insertIdentity } from "./identity.ts";
import { MISLEADING } from "../test-data/misleading-texts.ts";
import { isInterfacePattern } from "./override-formats.ts";
import { OVERRIDE_KINDS, validateOverride } from "./overrides.ts";
import type { ConfigOverride, OverrideKind } from "./overrides.ts";
import { encodePem } from "./pem.ts";
import { nebulaCapabilities } from "./versions.ts";
import { writeYaml } from "./yaml-writer.ts";
import type { YamlMap } from "./yaml-writer.ts";

const binaries = await nebulaBinaries();
const texts = fc.oneof(fc.constantFrom(...MISLEADING), fc.string({ unit: "binary", maxLength: 20 }));

const OVERRIDE_TEXTS = (
  "no 0x10 1e3 y null ~ _ 0.0.0.0 ::1 [::] :8080 127.0.0.1:2003 [::1]:65535 1s 24h 59m59s999ms 15:04:05 / " +
  "/metrics /no/1e3/true Nebula_1 a.b-c nebula1"
).split(" ");

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "nebula-test-"));
  writeFileSync(keyPath(), encodePem("NEBULA X25519 PRIVATE KEY", HOST_PRIVATE_KEY), { mode: 0o600 });
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(binaries)("the real nebula $version", ({ version, nebula }: NebulaBinaries) => {
  /** Runs nebula's configuration test, which prints the whole configuration. */
  function test(yaml: string): { status: number | null; output: string } {
    const file = join(folder, `${version}.yaml`);
    writeFileSync(file, yaml);
    const { status, stdout, stderr } = spawnSync(nebula, ["-test", "-config", file], { encoding: "utf8" });
    return { status, output: stdout + stderr };
  }

  function expectAccepted(input: ConfigInput): void {
    const { yaml } = renderConfig({ ...input, nebulaVersion: version, keyPath: keyPath() });
    expect(test(yaml)).toMatchObject({ status: 0 });
  }

  it.each(Object.entries(EXAMPLES))("accepts the configuration of a %s", (_, input) => {
    expectAccepted(input);
    expectAccepted({ ...input, acceptWider: true });
  });

  it("accepts a configuration with a key added by the host", () => {
    const { yaml } = renderConfig({ ...EXAMPLES.host, nebulaVersion: version, keyPath: undefined });
    expect(test(yaml).status).not.toBe(0);
    const key = encodePem("NEBULA X25519 PRIVATE KEY", HOST_PRIVATE_KEY);
    expect(test(insertIdentity(yaml, { key })).status).toBe(0);
  });

  it("rejects an invalid configuration, which proves that it checks them", () => {
    const { config } = renderConfig({ ...EXAMPLES.host, nebulaVersion: version, keyPath: keyPath() });
    expect(
      test(writeYaml({ ...config, firewall: { inbound: [{ port: "any", proto: "any" }] } })).status,
    ).toBe(1);
    expect(test(writeYaml({ ...config, static_host_map: {} })).status).toBe(1);
  });

  it("parses every text correctly", () => {
    const probe = (list: readonly string[]): YamlMap => ({
      list,
      map: Object.fromEntries(list.map((text) => [text, { value: text }])),
    });
    const { config } = renderConfig({
      ...EXAMPLES.host,
      tags: [],
      nebulaVersion: version,
      keyPath: keyPath(),
    });
    const dump = (list: readonly string[]) =>
      readDump(test(writeYaml({ ...config, probe: probe(list) })).output);
    expect(dump(MISLEADING)).toMatchObject({ probe: probe(MISLEADING) });
    // Nebula's dump of a text that starts with a line break can't be parsed, although Nebula reads ours.
    const dumpable = texts.map((text) => (/[\n\r\u0085\u2028\u2029]/.test(text) ? `x${text}` : text));
    fc.assert(
      fc.property(fc.array(dumpable, { minLength: 20, maxLength: 40 }), (list) => {
        expect(dump(list)).toMatchObject({ probe: probe(list) });
      }),
      { numRuns: 10 },
    );
  });

  it("matches hostile names of roles and tags exactly", () => {
    fc.assert(
      fc.property(texts, fc.array(texts, { maxLength: 4 }), (role, tags) => {
        const roleRules = [{ protocol: "ANY", allowedRoleID: role, allowedTags: tags } as const];
        const input = { ...EXAMPLES.host, roleRules, tags: [], nebulaVersion: version, keyPath: keyPath() };
        const { config, yaml } = renderConfig(input);
        const { status, output } = test(yaml);
        expect(status).toBe(0);
        expect(readDump(output)).toMatchObject({
          firewall: { inbound: (config.firewall as YamlMap).inbound },
        });
      }),
      { numRuns: 20 },
    );
  });

  it("accepts every valid override", () => {
    fc.assert(
      fc.property(fc.array(overrides(), { maxLength: 30 }), fc.boolean(), (configOverrides, isLighthouse) => {
        const example = isLighthouse ? EXAMPLES.lighthouse : EXAMPLES.host;
        const input = { ...example, host: { ...example.host, configOverrides } };
        expect(renderConfig(input).omitted).toEqual([]);
        expectAccepted(input);
      }),
      { numRuns: 40 },
    );
  });

  it("compiles every valid pattern of interface names", () => {
    const pieces = fc.constantFrom(
      "a",
      "0",
      ".",
      "*",
      "+",
      "?",
      "|",
      "(",
      ")",
      "[",
      "]",
      "^",
      "$",
      "-",
      "\\",
      "d",
      "_",
    );
    const patterns = fc.array(pieces, { minLength: 1, maxLength: 7 }).map((parts) => parts.join(""));
    const passing = [...new Set(fc.sample(patterns, 20_000).filter(isInterfacePattern))];
    expect(passing.length).toBeGreaterThan(300);
    for (let start = 0; start < passing.length; start += 250) {
      const interfaces = Object.fromEntries(
        passing.slice(start, start + 250).map((pattern) => [pattern, false]),
      );
      const configOverrides = [{ key: "lighthouse.local_allow_list", value: { interfaces } }];
      expectAccepted({ ...EXAMPLES.host, host: { ...EXAMPLES.host.host, configOverrides } });
    }
  });

  it("accepts a network with IPv6 as far as it supports it", () => {
    const { notBefore, notAfter } = HOST_V2.details;
    const ca = createCa({ name: "ca", notBefore: new Date(0), notAfter, certificateVersion: 2 });
    const certificate = createSigner(ca.privateKey).issueV2({
      ...HOST_V2.details,
      notBefore: new Date(notBefore.getTime() - 10 * 365 * 86_400_000),
      issuer: ca.fingerprint,
    });
    const dual: ConfigInput = {
      ...EXAMPLES.subscriber,
      network: { cidrs: ["100.100.0.0/22", "fd00::/64"], lighthousesAsRelays: true },
      host: { ...EXAMPLES.host.host, addresses: ["100.100.0.29", "fd00::1d"] },
      lighthouses: [{ addresses: ["100.100.0.1", "fd00::1"], staticAddresses: ["192.0.2.1:4242"] }],
      trustedCas: [...EXAMPLES.host.trustedCas, ca.certificatePem],
    };
    expectAccepted(
      nebulaCapabilities(version).certificateV2 ? { ...dual, certificate: certificate.pem } : dual,
    );
  });
});

function overrides(): fc.Arbitrary<ConfigOverride> {
  return fc
    .constantFrom(...(Object.entries(OVERRIDE_KINDS) as [string, OverrideKind][]))
    .chain(([key, kind]) => valuesOf(kind).map((value) => ({ key, value })))
    .filter(({ key, value }) => validateOverride(key, value) === undefined);
}

function valuesOf(kind: OverrideKind): fc.Arbitrary<unknown> {
  const networks = fc.constantFrom(
    "10.0.0.0/8",
    "192.168.1.7/24",
    "0.0.0.0/0",
    "fd00::/8",
    "::/0",
    "255.255.255.255/32",
  );
  switch (kind.kind) {
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.oneof(fc.constantFrom(kind.min, kind.max), fc.integer({ min: kind.min, max: kind.max }));
    case "choice":
      return fc.constantFrom(...kind.options);
    case "networks":
      return fc.array(networks, { maxLength: 4 });
    case "allowList": {
      const list = fc.dictionary(networks, fc.boolean(), { maxKeys: 4 });
      if (!kind.hasInterfaces) return list;
      const names = fc.constantFrom("no", "1e3", "tun.*", "__proto__", "0x10", "true", "[a-z]+\\d");
      const interfaces = fc.dictionary(names, fc.constant(true), { maxKeys: 3 });
      return fc.tuple(list, interfaces).map(([entries, named]) => ({ ...entries, interfaces: named }));
    }
    case "text":
      return fc.constantFrom(...OVERRIDE_TEXTS);
  }
}

/** A test run logs the parsed configuration in Go's notation. This returns every scalar as a string. */
function readDump(output: string): unknown {
  const [, quoted = ""] = /msg="((?:[^"\\]|\\.)*)"/s.exec(output) ?? [];
  return parse(quoted.replace(/\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(.))/gs, unescapeGo), {
    schema: "failsafe",
  });
}

function unescapeGo(_: string, byte?: string, short?: string, long?: string, letter = ""): string {
  const code = byte ?? short ?? long;
  if (code !== undefined) return String.fromCodePoint(parseInt(code, 16));
  const letters: Readonly<Record<string, string>> = {
    n: "\n",
    t: "\t",
    r: "\r",
    a: "\x07",
    b: "\b",
    f: "\f",
    v: "\v",
  };
  return letters[letter] ?? letter;
}

function keyPath(): string {
  return join(folder, "host.key");
}
