import { expect, it } from "vitest";
import { parse } from "yaml";
import { EXAMPLES, HOST_PRIVATE_KEY, KEY_PATH } from "../test-data/config-examples.ts";
import { renderConfig } from "./config.ts";
import { insertIdentity } from "./identity.ts";
import { encodePem } from "./pem.ts";

const key = encodePem("NEBULA X25519 PRIVATE KEY", HOST_PRIVATE_KEY);
const { yaml: whole } = renderConfig(EXAMPLES.router);
const { yaml: bare } = renderConfig({ ...EXAMPLES.router, keyPath: undefined, certificate: undefined });

it("adds key and certificate to a configuration and changes nothing else", () => {
  expect(insertIdentity(bare, { key: KEY_PATH, certificate: EXAMPLES.router.certificate })).toBe(whole);
});

it("keeps the configuration's certificate and accepts the key as PEM", () => {
  const { pki } = parse(insertIdentity(whole, { key }));
  expect(pki).toMatchObject({ key, cert: EXAMPLES.router.certificate });
});

it.each(["", "no", "pki: no", "- pki", "pki:\n  - a"])("rejects %j, which isn't a configuration", (yaml) => {
  expect(() => insertIdentity(yaml, { key })).toThrow("a pki section");
});
