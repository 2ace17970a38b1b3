import { parse } from "yaml";
import { describe, expect, it } from "vitest";
import { completeConfig, readCertificate, writeConfig } from "./config.ts";
import { createNebulaKeys } from "./keys.ts";
import { configFor, createNetwork } from "./testing/test-network.ts";

const network = createNetwork();
const { publicKey, privateKey } = createNebulaKeys("25519");
const certificate = network.issue(publicKey);
const setupOf = (config: string) => ({ config, certificate, nebulaKey: privateKey });
const whole = configFor(network, certificate);
const render = (config: string) => writeConfig(completeConfig(setupOf(config), "/k"));

describe("nebula's configuration", () => {
  it("is the server's, with the key as a path and logs as JSON", () => {
    const { pki, logging, sshd, ...rest } = parse(render(whole));
    const sent = parse(whole);
    expect(pki).toEqual({ ...sent.pki, key: "/k" });
    expect(logging).toEqual({ ...sent.logging, format: "json" });
    expect(sshd).toBeUndefined();
    expect({ ...rest, pki: sent.pki, logging: sent.logging }).toEqual(sent);
  });

  it("keeps the certificate when an update contains none", () => {
    const bare = configFor(network, undefined);
    expect(readCertificate(bare)).toBeUndefined();
    expect(parse(render(bare))).toEqual(parse(render(whole)));
  });

  it("never contains the private key", () => {
    expect(render(whole)).not.toContain("PRIVATE KEY");
  });

  it("quotes texts that older YAML parsers read as another type", () => {
    const groups = ["no", "1e3", "12:30", "~"];
    const config = `pki: {ca: "x"}\nfirewall: {inbound: [{port: any, proto: any, groups: ${JSON.stringify(groups)}}]}\n`;
    const text = render(config);
    for (const group of groups) expect(text).toContain(`- "${group}"`);
  });
});

describe("an invalid configuration", () => {
  it.each([
    ["invalid YAML", "a: [b", "isn't valid YAML"],
    ["a list", "- pki", "without a pki section"],
    ["no pki", "a: 1", "without a pki section"],
    ["a number that can't be written", "pki: {}\nlisten: {port: 1.5}", "can't be written as YAML"],
  ])("is rejected: %s", (_, config, message) => {
    expect(() => render(config)).toThrow(message);
  });
});
