/** The small schemas the nouns are made of. Every string has a bound, every refusal a code. */
import * as z from "zod/mini";
import { isPlainLine, isPlainText } from "./characters.ts";
import type { ErrorCode } from "./errors.ts";

/** A refusal that carries a code of the catalogue instead of ERR_INVALID_VALUE. */
export const refuseWith = (code: ErrorCode, error: string) => ({ error, params: { code } });

function boundedText(min: number, max: number) {
  const refusal = `must have a length between ${min} and ${max}`;
  return z.string().check(z.trim(), z.minLength(min, refusal), z.maxLength(max, refusal));
}

export const plainLine = () =>
  z.refine<string>(isPlainLine, "must not contain line breaks, control characters or invisible characters");

/** A single line of a bounded length; white space around it does not count. */
export const text = (min: number, max: number) => boundedText(min, max).check(plainLine());

/** The same, of several lines. */
export const multilineText = (min: number, max: number) =>
  boundedText(min, max).check(
    z.refine(isPlainText, "must not contain control characters or invisible characters"),
  );

export const id = (prefix: string) => z.string().check(z.regex(new RegExp(`^${prefix}-[A-Z2-7]{26}$`)));

/** Years before 1970. What is no date at all is refused as such. */
const TOO_EARLY = /^(0\d|1[0-8]|19[0-6])\d+-/;

/** RFC 3339 in UTC, in years that every part of the product can store. */
export const instant = () =>
  z.iso
    .datetime()
    .check(z.refine((value) => !TOO_EARLY.test(value), { error: "must be in a year from 1970 to 9999" }));

const looksLikeEmail = /^[^\s@"(),:;<>[\]\\]{1,64}@(?=.{3,190}$)[^\s@.]+(\.[^\s@.]+)+$/;
export const email = () =>
  z.string().check(
    z.trim(),
    z.toLowerCase(),
    z.refine(
      (value) => looksLikeEmail.test(value) && isPlainLine(value),
      refuseWith("ERR_INVALID_EMAIL", "must be an e-mail address"),
    ),
  );

/** An opaque secret a client hands back: bounded, otherwise judged by whoever issued it. */
export const token = () =>
  z.string().check(z.refine((value) => value.length <= 4096, { error: "not a token" }));

/** Clients write True, too. What is no text is refused by what follows. */
const inLowerCase = z.transform((value: unknown) =>
  typeof value === "string" ? value.toLowerCase() : value,
);

function annotate<S extends z.ZodMiniType>(schema: S, metadata: Record<string, unknown>): S {
  const own = z.clone(schema);
  z.globalRegistry.add(own, metadata);
  return own;
}

/** A field whose name doesn't say enough: the OpenAPI document has the description. */
export const described = <S extends z.ZodMiniType>(schema: S, description: string): S =>
  annotate(schema, { description });

/** A field beyond the public API: the OpenAPI document marks it. */
export const extension = <S extends z.ZodMiniType>(schema: S, description?: string): S =>
  annotate(schema, { "x-lightkeeper": true, ...(description !== undefined && { description }) });

/** Query-string values arrive as text. */
export const query = {
  whole(min: number, max: number) {
    const refusal = `must be a whole number between ${min} and ${max}`;
    const inRange = z.int().check(z.minimum(min, refusal), z.maximum(max, refusal));
    return z.pipe(z.string().check(z.regex(/^\d{1,9}$/, refusal)), z.pipe(z.transform(Number), inRange));
  },
  flag() {
    const toBoolean = z.transform((value: "true" | "false") => value === "true");
    const written = z.enum(["true", "false"], { error: "must be true or false" });
    return z.pipe(z.pipe(inLowerCase, written), z.pipe(toBoolean, z.boolean()));
  },
};

export const pageQuery = {
  /** Opaque; an empty one is none. */
  cursor: z.optional(z.string().check(z.maxLength(1024))),
  pageSize: z._default(z.optional(query.whole(1, 500)), 25),
  includeCounts: z._default(z.optional(query.flag()), false),
};

/** The order; `-` before a key reverses it. */
export const sortQuery = <const Key extends string>(keys: readonly Key[]) => ({
  sort: extension(z.optional(z.enum(keys.flatMap((key) => [key, `-${key}`]) as (Key | `-${Key}`)[]))),
});

/** Finds parts of words in any case. */
export const searchQuery = { "filter.search": extension(z.optional(z.string().check(z.maxLength(100)))) };

type Prefixed<Shape> = { [Key in keyof Shape & string as `filter.${Key}`]: Shape[Key] };

export function filterQuery<Shape extends Record<string, z.ZodMiniType>>(shape: Shape) {
  const prefixed = Object.entries(shape).map(([key, schema]) => [`filter.${key}`, schema]);
  return Object.fromEntries(prefixed) as Prefixed<Shape>;
}

export const PAGE_SIZE = 25;
export const MAX_PAGE_SIZE = 500;

export const ListMetadata = z.strictObject({
  hasNextPage: z.boolean(),
  hasPrevPage: z.boolean(),
  totalCount: z.optional(z.number()),
  /** There are more than `totalCount`; counting them all would take too long. */
  totalCountCapped: extension(z.optional(z.literal(true))),
  nextCursor: z.optional(z.string()),
  prevCursor: z.optional(z.string()),
  page: z.optional(z.strictObject({ start: z.number(), count: z.number() })),
});
export type ListMetadata = z.output<typeof ListMetadata>;

export const Empty = z.strictObject({});

/**
 * The body of a PUT: the editable keys, and, ignored, the read-only keys of the entity, so that a client
 * may send back what it was given.
 */
export function replacement<
  Editable extends Record<string, z.ZodMiniType>,
  Entity extends Record<string, z.ZodMiniType>,
>(editable: Editable, entity: z.ZodMiniObject<Entity>) {
  const readOnly = Object.keys(entity.shape).filter((key) => !(key in editable));
  const ignored = Object.fromEntries(readOnly.map((key) => [key, z.optional(z.unknown())]));
  // Neither the type nor the value has the ignored keys: no handler can come to depend on one.
  return z.strictObject<Editable>({ ...editable, ...ignored }).check(
    z.overwrite((body) => {
      const kept = Object.entries(body).filter(([key]) => key in editable);
      return Object.fromEntries(kept) as typeof body;
    }),
  );
}
