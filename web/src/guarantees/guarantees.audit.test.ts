import { expect, it } from "vitest";
import { sentenceOf } from "../audit/sentences.ts";
import { entry, toText } from "../testing/audit-entries.ts";

const suspension = { reason: "Cache migration", until: "2026-11-20T12:00:00Z" };
const bySystem = { actor: { type: "system" } as const };
const sentence = (...args: Parameters<typeof entry>) => toText(sentenceOf(entry(...args)));

it("says who added, changed and deleted a guarantee", () => {
  expect(sentence("guarantee", "CREATED")).toBe("ada@example.com added guarantee Thing");
  expect(sentence("guarantee", "UPDATED", [{ portRange: null }, { portRange: { from: 1, to: 2 } }])).toBe(
    "ada@example.com changed ports of guarantee Thing",
  );
  expect(sentence("guarantee", "DELETED")).toBe("ada@example.com deleted guarantee Thing");
});

it("says who suspended a guarantee and why, and who resumed it", () => {
  expect(sentence("guarantee", "UPDATED", [{ suspension: null }, { suspension }])).toBe(
    "ada@example.com suspended guarantee Thing: “Cache migration”",
  );
  expect(sentence("guarantee", "UPDATED", [{ suspension }, { suspension: null }])).toBe(
    "ada@example.com resumed guarantee Thing",
  );
});

it("says that a suspension ended at its date", () => {
  expect(sentence("guarantee", "UPDATED", [{ suspension }, { suspension: null }], bySystem)).toBe(
    "Lightkeeper ended the suspension of guarantee Thing",
  );
});

it("says that a guarantee started or stopped failing", () => {
  expect(sentence("guarantee", "STARTED_FAILING", [null, null], bySystem)).toBe(
    "Lightkeeper found that guarantee Thing is failing",
  );
  expect(sentence("guarantee", "STOPPED_FAILING", [null, null], bySystem)).toBe(
    "Lightkeeper found that guarantee Thing is no longer failing",
  );
});

it("says whose change was rejected", () => {
  expect(sentence("guarantee", "REJECTED_CHANGE")).toBe(
    "ada@example.com tried a change that was rejected, because it breaks guarantee Thing",
  );
  expect(sentence("guarantee", "REJECTED_CHANGE", [null, null], bySystem)).toBe(
    "Lightkeeper rejected a change that breaks guarantee Thing",
  );
});

it("says so if a guarantee has no description, and keeps the description of a deleted one", () => {
  const unnamed = { targetName: "" };
  expect(sentence("guarantee", "CREATED", [null, { description: "" }], unnamed)).toBe(
    "ada@example.com added guarantee without a description",
  );
  expect(sentence("guarantee", "REJECTED_CHANGE", [null, null], unnamed)).toBe(
    "ada@example.com tried a change that was rejected, because it breaks guarantee without a description",
  );
  const gone = { targetName: null };
  expect(sentence("guarantee", "DELETED", [{ description: "No SSH" }, null], gone)).toBe(
    "ada@example.com deleted guarantee No SSH",
  );
  expect(sentence("guarantee", "DELETED", [{ description: "" }, null], gone)).toBe(
    "ada@example.com deleted guarantee without a description",
  );
});
