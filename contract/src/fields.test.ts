import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import type { Schema } from "./endpoint.ts";
import { email, id, instant, multilineText, pageQuery, query, replacement, text } from "./fields.ts";

const codesOf = (schema: Schema, value: unknown) =>
  schema
    .safeParse(value)
    .error?.issues.map((issue) => (issue.code === "custom" ? (issue.params?.code as string) : issue.code));

describe("an email address", () => {
  it.each([
    ["ada@example.com", "ada@example.com"],
    ["  Ada.Lovelace+test@EXAMPLE.co.uk ", "ada.lovelace+test@example.co.uk"],
    ["o'neil@example.com", "o'neil@example.com"],
    ["müller@bücher.example", "müller@bücher.example"],
    [`${"a".repeat(64)}@example.com`, `${"a".repeat(64)}@example.com`],
  ])("is parsed from %j as %j", (input, address) => {
    expect(email().parse(input)).toBe(address);
  });

  it.each([
    [""],
    ["ada"],
    ["ada@"],
    ["@example.com"],
    ["ada@localhost"],
    ["ada@example."],
    ["ada@.com"],
    ["ada@exa mple.com"],
    ["ada@example.com,eve@example.com"],
    ["Ada <ada@example.com>"],
    ["a\nb@example.com"],
    ["ada@@example.com"],
    ["ad\u202ea@example.com"],
    ["ada\u0007@example.com"],
    ["ada@exam\u200bple.com"],
    [`${"a".repeat(65)}@example.com`],
    [`a@${"b".repeat(190)}.com`],
  ])("is not %j [S5.3]", (input) => {
    expect(codesOf(email(), input)).toEqual(["ERR_INVALID_EMAIL"]);
  });

  it("is checked quickly, however long it is", () => {
    const begunAt = performance.now();
    for (const long of ["a".repeat(500_000), `a@${"b.".repeat(250_000)}`, "@".repeat(500_000)])
      expect(email().safeParse(long).success).toBe(false);
    expect(performance.now() - begunAt).toBeLessThan(1000);
  });
});

describe("a text", () => {
  it("is trimmed before its length is checked", () => {
    expect(text(1, 5).parse("  a b \n")).toBe("a b");
    expect(text(1, 5).parse(` ${"x".repeat(5)} `)).toBe("xxxxx");
    expect(text(0, 5).parse("   ")).toBe("");
  });

  it.each([[" "], [""], ["x".repeat(6)]])("is not %j if its length is limited", (input) => {
    const messages = text(1, 5)
      .safeParse(input)
      .error?.issues.map(({ message }) => message);
    expect(messages).toEqual(["must have a length between 1 and 5"]);
  });

  it("is one line without control or invisible characters, unless it may have several lines", () => {
    for (const input of ["a\nb", "a\tb", "a\u001bb", "a\u202eb", "a\u200bb"])
      expect(text(1, 5).safeParse(input).success).toBe(false);
    expect(multilineText(1, 5).parse("a\n\tb")).toBe("a\n\tb");
    for (const input of ["a\u001bb", "a\u202eb", "a\u200bb"])
      expect(multilineText(1, 5).safeParse(input).success).toBe(false);
  });

  it("is a string", () => {
    for (const value of [1, null, undefined, ["a"], {}])
      expect(codesOf(text(0, 5), value)).toEqual(["invalid_type"]);
  });
});

describe("an ID", () => {
  it("is its prefix and 26 characters", () => {
    const rest = "A".repeat(25);
    expect(id("network").safeParse(`network-${rest}7`).success).toBe(true);
    for (const wrong of [
      `network-${rest}`,
      `host-${rest}7`,
      `network-${rest}1`,
      `network-${rest}a`,
      ` network-${rest}7`,
    ])
      expect(id("network").safeParse(wrong).success).toBe(false);
  });
});

describe("a query", () => {
  it("has pages of 25 by default and of 500 at most [S9.1]", () => {
    const schema = z.strictObject(pageQuery);
    expect(schema.parse({})).toEqual({ pageSize: 25, includeCounts: false });
    expect(schema.parse({ pageSize: "500", includeCounts: "true", cursor: "" })).toEqual({
      pageSize: 500,
      includeCounts: true,
      cursor: "",
    });
    for (const pageSize of ["0", "501", "-1", "1.5", "1e2", "", " 5", "9999999999"])
      expect(schema.safeParse({ pageSize }).success).toBe(false);
    for (const includeCounts of ["1", "yes", "TRUE ", ""])
      expect(schema.safeParse({ includeCounts }).success).toBe(false);
  });

  it("has whole numbers and flags as text", () => {
    expect(query.whole(1, 9).parse("007")).toBe(7);
    expect(query.flag().parse("false")).toBe(false);
    expect(query.flag().parse("TRUE")).toBe(true);
  });
});

describe("the body of a replacement", () => {
  const Entity = z.strictObject({ id: z.string(), name: z.string(), createdAt: instant() });
  const body = replacement({ name: text(1, 10) }, Entity);

  it("ignores the read-only keys of the entity and rejects other keys", () => {
    expect(body.parse({ id: 7, name: "x", createdAt: null })).toStrictEqual({ name: "x" });
    expect(body.parse({ name: "x" })).toStrictEqual({ name: "x" });
    expect(codesOf(body, { name: "x", colour: "red" })).toEqual(["unrecognized_keys"]);
  });

  it("requires the editable keys", () => {
    expect(codesOf(body, { id: "x" })).toEqual(["invalid_type"]);
  });
});
