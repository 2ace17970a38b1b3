/** Import files, as CSV and as YAML (including JSON). */
import fc from "fast-check";
import { anEdgeCaseKey, anEdgeCaseString, edgeCaseString } from "./edge-case-values.ts";
import { anAddress, anOverride, aTag, aWord } from "./plausible-values.ts";
import { reference } from "./object-references.ts";
import { weighted } from "./weighted.ts";

const aText = weighted<string>([4, aWord], [1, anEdgeCaseString.map(edgeCaseString)]);
const network = weighted<string>([4, fc.constant(reference("own", "networkID"))], [1, aText]);
const listenPort = fc.integer({ min: -1, max: 65_536 });

const firewallRules = fc.array(
  fc.record(
    {
      protocol: fc.constantFrom("TCP", "ANY", "none"),
      description: aText,
      allowedRole: aText,
      allowedTags: fc.array(aTag, { maxLength: 2 }),
    },
    { requiredKeys: ["protocol"] },
  ),
  { maxLength: 2 },
);
const configOverrides = fc.array(
  anOverride.map(([key, value]) => ({ key, value })),
  { maxLength: 2 },
);

const aRole = fc.record(
  { name: aText, description: aText, firewallRules, unknown: aText },
  { requiredKeys: ["name"] },
);
const aNamedTag = fc.record(
  { name: aTag, description: aText, firewallRules, configOverrides },
  { requiredKeys: ["name"] },
);
const aHost = fc.record(
  {
    name: aText,
    network,
    role: aText,
    tags: fc.array(aTag, { maxLength: 3 }),
    ipAddress: anAddress,
    listenPort,
    isRelay: fc.boolean(),
    configOverrides,
  },
  { requiredKeys: ["name", "network"] },
);

const withOddKeys = fc
  .tuple(aRole, anEdgeCaseKey, aText)
  .map(([role, key, text]) => ({ ...role, [key]: text }));

const listOf = <T>(items: fc.Arbitrary<T>) => fc.array(items, { maxLength: 3 });
const aDocument = fc
  .record(
    {
      roles: listOf(weighted<object>([4, aRole], [1, withOddKeys])),
      tags: listOf(aNamedTag),
      hosts: listOf(aHost),
    },
    { requiredKeys: [] },
  )
  .map((document) => JSON.stringify(document));

const columns = ["type", "name", "network", "role", "tags", "ipAddress", "listenPort", "isRelay", "unknown"];
const aCell = fc.oneof(
  aText,
  aTag,
  anAddress,
  network,
  listenPort.map(String),
  fc.constantFrom("host", "role", "tag", "true", '"', "'=1"),
);
const aTable = fc
  .tuple(fc.subarray(columns), fc.array(fc.array(aCell, { maxLength: 6 }), { maxLength: 4 }))
  .map(([header, rows]) => [header, ...rows].map((cells) => cells.join()).join("\n"));

const anAbuse = fc.constantFrom(
  "a: &a [*a]",
  "a: &a [1]\nb: [*a, *a]",
  "hosts: !!set {a}",
  "hosts: [{name: !!binary AAAA}]",
  "hosts:\n- name: a\n  name: b",
  "? {a: b}\n: c",
  "--- 1\n--- 2",
  "- - -\n\t- a",
);

export const anImportFile = weighted<string>([6, aDocument], [3, aTable], [1, anAbuse]);
