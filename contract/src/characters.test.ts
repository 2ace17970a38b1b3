import { describe, expect, it } from "vitest";
import { escapeLine, escapeText, isPlainLine, isPlainText } from "./characters.ts";

describe("a plain line", () => {
  it.each([
    ["Reykjavík 1"],
    ["سفينة الميناء الشرقي"],
    ["שרת ראשי"],
    ["می\u200cخواهم"],
    ["क्\u200dष"],
    ["⚓️ 👩🏽\u200d🚒 🏳️\u200d🌈 🇮🇸"],
    ["\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}"],
    ["e\u0301"],
    ["\u00a0non-breaking\u2003em"],
  ])("is %j", (text) => {
    expect(isPlainLine(text)).toBe(true);
    expect(isPlainText(text)).toBe(true);
  });

  it.each([
    ["a\u001b[31mred"],
    ["a\u0007"],
    ["a\u007f"],
    ["a\u009b31m"],
    ["a\rb"],
    ["a\u2028b"],
    ["\u202etxt.exe"],
    ["\u2066a\u2069"],
    ["a\u200bb"],
    ["a\ufeffb"],
    ["a\u2060b"],
    ["a\u00adb"],
    ["\u3164"],
    ["ad\u200dmin"],
    ["\u200dadmin"],
    ["админ\u200cа"],
    ["a\u{e0041}b"],
  ])("is not %j, which is not plain text either", (text) => {
    expect(isPlainLine(text)).toBe(false);
    expect(isPlainText(text)).toBe(false);
  });

  it.each([["a\nb"], ["a\tb"], ["a\r\nb"], ["a\u200eb"], ["a\u200fb"], ["a\u061cb"]])(
    "is not %j, which is valid plain text",
    (text) => {
      expect(isPlainLine(text)).toBe(false);
      expect(isPlainText(text)).toBe(true);
    },
  );

  it("is checked quickly, however long it is", () => {
    const startedAt = performance.now();
    for (const long of [
      "\u{1f3f4}".repeat(200_000),
      "a".repeat(500_000),
      "\u{1f3f4}\u{e0067}".repeat(100_000),
    ])
      isPlainLine(long);
    expect(performance.now() - startedAt).toBeLessThan(2000);
  });
});

describe("text escaped for a terminal", () => {
  it("shows control characters and changes nothing else", () => {
    expect(escapeText("red \u001b[31m \u009b \u202e \u200b é 👩🏽\u200d🚒\nnext\tline")).toBe(
      String.raw`red \u001b[31m \u009b \u202e \u200b é 👩🏽‍🚒` + "\nnext\tline",
    );
    expect(escapeLine("a\nb\tc\r\nd")).toBe(String.raw`a\u000ab\u0009c\u000d\u000ad`);
    expect(escapeText("\u{e0041}")).toBe(String.raw`\udb40\udc41`);
  });

  it("keeps the value of JSON", () => {
    const value = { name: "a\u001b\u009b\u202e\u{e0041}\n" };
    expect(JSON.parse(escapeText(JSON.stringify(value)))).toEqual(value);
  });
});
