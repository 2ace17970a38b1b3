/** Plausible strings by the name of their property. */
import fc from "fast-check";
import { anImportFile } from "./import-files.ts";
import { aCidr, anAddress, anId, anOverride, aTag, aWord } from "./plausible-values.ts";
import { creators, reference } from "./object-references.ts";
import { weighted } from "./weighted.ts";

const byName: [RegExp, fc.Arbitrary<string>][] = [
  [/tag|^before$|^after$/i, aTag],
  [/cidr/i, aCidr],
  [
    /address|target/i,
    fc.oneof(
      anAddress,
      aCidr,
      anAddress.map((address) => `${address}:4242`),
      fc.domain(),
    ),
  ],
  [/email/i, fc.oneof(fc.emailAddress(), fc.constant("somebody@example.com"))],
  [/At$/, fc.date({ noInvalidDate: true }).map((date) => date.toISOString())],
  [/^content$/, anImportFile],
  [/^key$/, anOverride.map(([key]) => key)],
  [/ids?$|subscriptions/i, anId],
];

export function plausibleString(property: string): fc.Arbitrary<string> {
  const param = [...creators.keys()].find((name) => property.toLowerCase().endsWith(name.toLowerCase()));
  const fitting = byName.find(([pattern]) => pattern.test(property))?.[1] ?? aWord;
  if (!param) return fitting;
  return weighted([3, fc.constant(reference("own", param))], [1, fitting]);
}
