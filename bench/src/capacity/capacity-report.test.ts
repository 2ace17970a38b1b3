import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { computeCapacity, type Constants } from "./capacity-model.ts";
import { capacityTable, constantsTables, describeConstants, SIZES } from "./capacity-report.ts";

const root = resolve(import.meta.dirname, "../../..");
const read = (file: string) => readFileSync(resolve(root, file), "utf8");
const constants = JSON.parse(read("bench/capacity-constants.json")) as Constants;

/** The formatter of the docs pads the columns. */
const withoutAlignment = (line: string) => line.replace(/ +/g, " ").replace(/-+/g, "-").trim();
const documented = read("docs/capacity.md").split("\n").map(withoutAlignment);

describe("docs/capacity.md", () => {
  it.each([
    [
      "what 1 to 10 million hosts need",
      capacityTable(SIZES.map((hosts) => computeCapacity(constants, hosts))),
    ],
    ["every constant", constantsTables(constants)],
    ["how the constants were measured", [describeConstants(constants)]],
  ])("shows %s, from the constants in bench/capacity-constants.json", (_, lines) => {
    expect(documented).toEqual(expect.arrayContaining(lines.map(withoutAlignment)));
  });
});
