/** Schemas of common fields. Every string has a maximum length, and every error a code. */
import * as z from "zod/mini";
import { isPlainLine, isPlainText } from "./characters.ts";
import type { ErrorCode } from "./errors.ts";
import type { IdPrefix } from "./nouns.ts";
import { SEARCH_LENGTH_MAX } from "./limits.ts";

/** For a refinement: fails with this code instead of ERR_INVALID_VALUE. */
export const withErrorCode = (code: ErrorCode, message: string) => ({ error: message, params: { code } });

function boundedText(min: number, max: number) {
  const message = `must have a length between ${min} and ${max}`;
  return z.string().check(z.trim(), z.minLength(min, message), z.maxLength(max, message));
}

export const plainLine = () =>
  z.refine<string>(isPlainLine, "must not contain line breaks, control characters or invisible characters");

/** A single line of limited length, without white space around it. */
export const text = (min: number, max: number) => boundedText(min, max).check(plainLine());

/** Like `text`, but with several lines. */
export const multilineText = (min: number, max: number) =>
  boundedText(min, max).check(
    z.refine(isPlainText, "must not contain control characters or invisible characters"),
  );

export const id = (prefix: IdPrefix) => z.string().check(z.regex(new RegExp(`^${prefix}-[A-Z2-7]{26}$`)));

/** Years before 1970; anything that isn't a date gets another error. */
const BEFORE_1970 = /^(0\d|1[0-8]|19[0-6])\d+-/;

/** RFC 3339 in UTC, with a year that PostgreSQL and JavaScript can store. */
export const instant = () =>
  z.iso
    .datetime()
    .check(z.refine((value) => !BEFORE_1970.test(value), { error: "must be in a year from 1970 to 9999" }));

const EMAIL_ADDRESS = /^[^\s@"(),:;<>[\]\\]{1,64}@(?=.{3,190}$)[^\s@.]+(\.[^\s@.]+)+$/;
export const email = () =>
  z.string().check(
    z.trim(),
    z.toLowerCase(),
    z.refine(
      (value) => EMAIL_ADDRESS.test(value) && isPlainLine(value),
      withErrorCode("ERR_INVALID_EMAIL", "must be an email address"),
    ),
  );

/** An opaque secret that the server has issued: only its length is validated here. */
export const token = () =>
  z.string().check(z.refine((value) => value.length <= 4096, { error: "must be a valid token" }));

/** Some clients send True. Values that aren't strings are passed on to the next schema. */
const inLowerCase = z.transform((value: unknown) =>
  typeof value === "string" ? value.toLowerCase() : value,
);

function annotate<S extends z.ZodMiniType>(schema: S, metadata: Record<string, unknown>): S {
  const annotated = z.clone(schema);
  z.globalRegistry.add(annotated, metadata);
  return annotated;
}

/** Adds a description to the field in the OpenAPI document. */
export const described = <S extends z.ZodMiniType>(schema: S, description: string): S =>
  annotate(schema, { description });

/** Marks a field that the public API lacks in the OpenAPI document. */
export const extension = <S extends z.ZodMiniType>(schema: S, description?: string): S =>
  annotate(schema, { "x-lightkeeper": true, ...(description !== undefined && { description }) });

/** Query-string values are strings. */
export const query = {
  whole(min: number, max: number) {
    const message = `must be a whole number between ${min} and ${max}`;
    const inRange = z.int().check(z.minimum(min, message), z.maximum(max, message));
    return z.pipe(z.string().check(z.regex(/^\d{1,9}$/, message)), z.pipe(z.transform(Number), inRange));
  },
  flag() {
    const toBoolean = z.transform((value: "true" | "false") => value === "true");
    const trueOrFalse = z.enum(["true", "false"], { error: "must be true or false" });
    return z.pipe(z.pipe(inLowerCase, trueOrFalse), z.pipe(toBoolean, z.boolean()));
  },
};

export const PAGE_SIZE = 25;
export const PAGE_SIZE_MAX = 500;

export const pageQuery = {
  /** Opaque; an empty cursor counts as none. */
  cursor: z.optional(z.string().check(z.maxLength(1024))),
  pageSize: z._default(z.optional(query.whole(1, PAGE_SIZE_MAX)), PAGE_SIZE),
  includeCounts: z._default(z.optional(query.flag()), false),
};

/** Prefix a key with `-` to reverse the order. */
export const sortQuery = <const Key extends string>(keys: readonly Key[]) => ({
  sort: extension(z.optional(z.enum(keys.flatMap((key) => [key, `-${key}`]) as (Key | `-${Key}`)[]))),
});

/** Matches substrings, ignoring case. */
export const searchQuery = {
  "filter.search": extension(z.optional(z.string().check(z.maxLength(SEARCH_LENGTH_MAX)))),
};

type Prefixed<Shape> = { [Key in keyof Shape & string as `filter.${Key}`]: Shape[Key] };

export function filterQuery<Shape extends Record<string, z.ZodMiniType>>(shape: Shape) {
  const prefixed = Object.entries(shape).map(([key, schema]) => [`filter.${key}`, schema]);
  return Object.fromEntries(prefixed) as Prefixed<Shape>;
}

export const ListMetadata = z.strictObject({
  hasNextPage: z.boolean(),
  hasPrevPage: z.boolean(),
  totalCount: z.optional(z.number()),
  /** There are more than `totalCount`; counting stops there because it takes too long. */
  totalCountCapped: extension(z.optional(z.literal(true))),
  nextCursor: z.optional(z.string()),
  prevCursor: z.optional(z.string()),
  page: z.optional(z.strictObject({ start: z.number(), count: z.number() })),
});
export type ListMetadata = z.output<typeof ListMetadata>;

export const Empty = z.strictObject({});

/**
 * The body of a PUT: the editable keys. The entity's read-only keys are ignored, so that a client can send back what
 * it has received.
 */
export function replacement<
  Editable extends Record<string, z.ZodMiniType>,
  Entity extends Record<string, z.ZodMiniType>,
>(editable: Editable, entity: z.ZodMiniObject<Entity>) {
  const readOnly = Object.keys(entity.shape).filter((key) => !(key in editable));
  const ignoredValue = annotate(z.optional(z.unknown()), { readOnly: true });
  const ignored = Object.fromEntries(readOnly.map((key) => [key, ignoredValue]));
  // Ignored keys are removed from the type and the value, so that no handler can depend on them.
  return z.strictObject<Editable>({ ...editable, ...ignored }).check(
    z.overwrite((body) => {
      const editableEntries = Object.entries(body).filter(([key]) => key in editable);
      return Object.fromEntries(editableEntries) as typeof body;
    }),
  );
}
