/** Plausible values that pass the first checks. */
import { nouns } from "@lightkeeper/contract";
import fc from "fast-check";
import type { Json } from "./json-text.ts";
import { anObjectReference, reference } from "./object-references.ts";

/** Often an existing name. */
export const aWord = fc.oneof(
  fc.constantFrom("Lighthouse", "web", "WEB"),
  fc.stringMatching(/^[A-Za-z][a-z0-9 ._-]{0,14}[a-z0-9]$/),
);
export const aTag = fc.oneof(
  fc.constantFrom("env:prod", "os:linux", "a:b", reference("own", "tag")),
  fc.stringMatching(/^[a-z]{1,20}:[a-z0-9 ]{1,49}[a-z]$/),
);
export const anAddress = fc.ipV4();
export const aCidr = fc.oneof(
  fc.constantFrom("10.77.0.0/24", "192.168.7.0/24", "100.64.0.0/10", "172.16.0.0/12", "0.0.0.0/0"),
  fc.tuple(fc.ipV4(), fc.nat({ max: 33 })).map(([address, bits]) => `${address}/${bits}`),
);
const idPrefixes = Object.values(nouns).flatMap((noun) => ("idPrefix" in noun ? noun.idPrefix : []));
const aRandomId = fc
  .tuple(fc.constantFrom(...idPrefixes), fc.stringMatching(/^[A-Z2-7]{26}$/))
  .map((parts) => parts.join("-"));
export const anId = fc.oneof(anObjectReference, aRandomId);

/** Nebula settings with plausible values. */
export const anOverride = fc.constantFrom<[key: string, value: Json][]>(
  ["listen.batch", 64],
  ["logging.level", "info"],
  ["lighthouse.serve_dns", true],
  ["lighthouse.local_allow_list", { interfaces: { "eth.*": false }, "10.0.0.0/8": true }],
  ["lighthouse.remote_allow_list", { "0.0.0.0/0": true }],
  ["preferred_ranges", ["10.0.0.0/8"]],
  ["stats.host", "127.0.0.1:2003"],
  ["tun.dev", "nebula1"],
  ["pki.key", "/etc/shadow"],
);
