/** What the body of a request will be like. */
import type { Endpoint } from "@lightkeeper/contract";
import fc from "fast-check";
import type { Json } from "./json-text.ts";
import { type Mutation, someMutations } from "./mutations.ts";
import { anOddString, oddString } from "./odd-values.ts";
import { jsonSchemaOf, valuesOf } from "./schema-values.ts";
import { weighted } from "./weighted.ts";

/** Done to the bytes in the end. */
export type Damage = { cutAt: number } | { insertAt: number; bytes: number[] };

export type BodyPlan =
  | { from: "nothing" }
  /** The sample with a few properties of a value made from the schema. */
  | { from: "sample"; drawn: Json; take: number[]; mutations: Mutation[]; damage: Damage | null }
  | { from: "schema"; drawn: Json; mutations: Mutation[]; damage: Damage | null }
  | { from: "nowhere"; text: string }
  | { from: "bytes"; bytes: number[] }
  | { from: "too much" };

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

const blind = weighted<BodyPlan>(
  [4, fc.record({ from: fc.constant("nowhere"), text: fc.json({ maxDepth: 3 }) })],
  [2, fc.record({ from: fc.constant("nowhere"), text: anOddString.map(oddString) })],
  [
    3,
    fc.record({
      from: fc.constant("bytes"),
      bytes: fc.uint8Array({ maxLength: 200 }).map((bytes) => [...bytes]),
    }),
  ],
);

const tooMuch = fc.constant<BodyPlan>({ from: "too much" });
const noBody = fc.constant<BodyPlan>({ from: "nothing" });

export function aBody({ body }: Endpoint): fc.Arbitrary<BodyPlan> {
  if (!body) return weighted([12, noBody], [3, blind]);
  const drawn = valuesOf(jsonSchemaOf(body));
  const take = fc.array(fc.nat({ max: 20 }), { maxLength: 2 });
  const faults = { mutations: someMutations, damage: aDamage };
  return weighted<BodyPlan>(
    [70, fc.record({ from: fc.constant("sample"), drawn, take, ...faults })],
    [15, fc.record({ from: fc.constant("schema"), drawn, ...faults })],
    [15, blind],
    [2, noBody],
    [1, tooMuch],
  );
}
