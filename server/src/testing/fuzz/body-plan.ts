/** Generates request bodies. */
import type { Endpoint } from "@lightkeeper/contract";
import fc from "fast-check";
import type { Json } from "./json-text.ts";
import { type Mutation, someMutations } from "./mutations.ts";
import { anEdgeCaseString, edgeCaseString } from "./edge-case-values.ts";
import { jsonSchemaOf, valuesOf } from "./schema-values.ts";
import { weighted } from "./weighted.ts";

/** Applied to the final bytes. */
export type Damage = { cutAt: number } | { insertAt: number; bytes: number[] };

export type BodyPlan =
  | { from: "no body" }
  /** The sample with some properties of a generated value. */
  | { from: "sample"; generated: Json; take: number[]; mutations: Mutation[]; damage: Damage | null }
  | { from: "schema"; generated: Json; mutations: Mutation[]; damage: Damage | null }
  | { from: "text"; text: string }
  | { from: "bytes"; bytes: number[] }
  | { from: "oversized" };

const aDamage: fc.Arbitrary<Damage | null> = weighted<Damage | null>(
  [18, fc.constant(null)],
  [1, fc.record({ cutAt: fc.nat({ max: 100 }) })],
  [
    1,
    fc.record({
      insertAt: fc.nat({ max: 100 }),
      bytes: fc.constantFrom<number[]>(
        [0xff],
        [0xc3, 0x28],
        [0xed, 0xa0, 0x80],
        [0x00],
        [0xef, 0xbb, 0xbf],
        [0x22],
      ),
    }),
  ],
);

const aBodyWithoutSchema = weighted<BodyPlan>(
  [4, fc.record({ from: fc.constant("text"), text: fc.json({ maxDepth: 3 }) })],
  [2, fc.record({ from: fc.constant("text"), text: anEdgeCaseString.map(edgeCaseString) })],
  [
    3,
    fc.record({
      from: fc.constant("bytes"),
      bytes: fc.uint8Array({ maxLength: 200 }).map((bytes) => [...bytes]),
    }),
  ],
);

const oversizedBody = fc.constant<BodyPlan>({ from: "oversized" });
const noBody = fc.constant<BodyPlan>({ from: "no body" });

export function aBody({ body }: Endpoint): fc.Arbitrary<BodyPlan> {
  if (!body) return weighted([12, noBody], [3, aBodyWithoutSchema]);
  const generated = valuesOf(jsonSchemaOf(body));
  const take = fc.array(fc.nat({ max: 20 }), { maxLength: 2 });
  const alterations = { mutations: someMutations, damage: aDamage };
  return weighted<BodyPlan>(
    [70, fc.record({ from: fc.constant("sample"), generated, take, ...alterations })],
    [15, fc.record({ from: fc.constant("schema"), generated, ...alterations })],
    [15, aBodyWithoutSchema],
    [2, noBody],
    [1, oversizedBody],
  );
}
