import { type AccessMatrix, MATRIX_ROWS_MAX } from "@lightkeeper/contract";
import { checkFlow } from "@lightkeeper/nebula/access";
import { describe, expect, it } from "vitest";
import { hostOf, networkOf } from "@lightkeeper/nebula/testing";
import { loadedNetwork } from "../../../testing/access-fixture.ts";
import { describeAccessMatrix } from "./access-matrix.ts";
import type { MatrixQuery } from "./matrix-filter.ts";

const show = (query: Partial<MatrixQuery> = {}, loaded = loadedNetwork()) =>
  describeAccessMatrix(loaded, { detail: "groups", ...query });

const nameOf = ({ groups, subnets, detail }: AccessMatrix, position: number) => {
  const group = groups[position];
  if (!group) return subnets[position - groups.length]!.cidr;
  if (detail === "hosts") return group.hosts[0]!.name;
  return [group.role?.name ?? "None", ...group.tags].join(" ");
};
const rowsOf = (matrix: AccessMatrix) => matrix.groups.map((_, position) => nameOf(matrix, position));
const cellsOf = (matrix: AccessMatrix) =>
  matrix.cells.map(({ source, destination, traffic, isPartial }) => {
    const ports = matrix.traffic[traffic]!.map(({ protocol, portRange }) => portRange?.from ?? protocol);
    return `${nameOf(matrix, source)} > ${nameOf(matrix, destination)}: ${ports.join(",")}${isPartial ? " partial" : ""}`;
  });

describe("the matrix", () => {
  it("has one row per role and relevant tags, sorted by name, with hosts without a role last", () => {
    const matrix = show();
    expect(rowsOf(matrix)).toEqual([
      "Database",
      "Database env:test",
      "Router",
      "Web",
      "Web env:test",
      "None team:data",
    ]);
    expect(matrix).toMatchObject({
      hostCount: 7,
      groupCount: 6,
      detail: "groups",
      subnets: [{ cidr: "192.168.5.0/24", except: [] }],
      revision: 7,
    });
    expect(matrix.groups.map(({ hostCount }) => hostCount)).toEqual([1, 1, 1, 2, 1, 1]);
    expect(cellsOf(matrix)).toContain("Web > Database env:test: 5432,9100");
    expect(cellsOf(matrix)).toContain("None team:data > 192.168.5.0/24: 80");
    expect(cellsOf(matrix)).toContain("Web > Web: 443");
    expect(cellsOf(matrix)).not.toContain("Web env:test > Web env:test: 443,9100");
  });

  it("with one row per role says which traffic only some hosts have", () => {
    const matrix = show({ detail: "roles" });
    expect(rowsOf(matrix)).toEqual(["Database", "Router", "Web", "None"]);
    expect(cellsOf(matrix)).toContain("Web > Database: 5432,9100 partial");
    expect(cellsOf(matrix)).toContain("None > Web: 443,9100 partial");
    expect(cellsOf(matrix)).toContain("None > Router: ICMP");
  });

  it("with one row per host has exactly the connections that the engine allows", () => {
    const loaded = loadedNetwork();
    const { hosts } = loaded.network;
    const matrix = show({ detail: "hosts" }, loaded);
    expect(matrix.groups.map(({ hosts: [host] }) => host!.name).sort()).toEqual(
      hosts.map(({ name }) => name).sort(),
    );
    for (const port of [22, 443, 5432, 9100]) {
      const allowed = hosts.flatMap((source) =>
        hosts
          .filter(
            ({ addresses: [destination = ""] }) =>
              checkFlow(loaded.network, { source, destination, traffic: { protocol: "TCP", port } })
                .isAllowed,
          )
          .map(({ name }) => `${source.name} > ${name}`),
      );
      const shown = matrix.cells
        .filter(({ destination, traffic }) => {
          const ports = matrix.traffic[traffic]!.map(({ portRange }) => portRange?.from);
          return destination < matrix.groups.length && ports.includes(port);
        })
        .map(({ source, destination }) => `${nameOf(matrix, source)} > ${nameOf(matrix, destination)}`);
      expect(shown.sort()).toEqual(allowed.sort());
    }
    expect(matrix.cells.every(({ isPartial }) => !isPartial)).toBe(true);
  });

  it("is limited to some rows, and counts all of them", () => {
    const count = MATRIX_ROWS_MAX + 5;
    const names = Array.from({ length: count }, (_, index) => `tag:${index}`);
    const network = networkOf({
      roles: new Map([["role-web", [{ protocol: "TCP", allowedTags: names }]]]),
      hosts: names.map((tag, index) =>
        hostOf(`h${index}`, `10.0.${index >> 8}.${index & 255}`, { roleID: "role-web", tags: [tag] }),
      ),
      routes: [],
    });
    const matrix = show({}, loadedNetwork(network));
    expect(matrix.groups).toHaveLength(MATRIX_ROWS_MAX);
    expect(matrix.groupCount).toBe(count);
    expect(rowsOf(matrix).slice(0, 3)).toEqual(["Web tag:0", "Web tag:1", "Web tag:2"]);
    expect(() => show({ detail: "hosts" }, loadedNetwork(network))).toThrow("ERR_INVALID_VALUE");
    expect(show({ detail: "hosts", "filter.tag": "tag:7" }, loadedNetwork(network)).groups).toHaveLength(1);
  });
});

describe("a filter of the matrix", () => {
  it("by name keeps the matching groups, what they reach and what reaches them", () => {
    const matrix = show({ detail: "roles", "filter.search": "datab" });
    expect(rowsOf(matrix)).toEqual(["Database", "Router", "Web", "None"]);
    expect(cellsOf(matrix)).not.toContain("None > Web: 443,9100 partial");
    expect(cellsOf(matrix).every((cell) => cell.includes("Database"))).toBe(true);
    expect(cellsOf(matrix)).toContain("Web > Database: 5432,9100 partial");
    expect(matrix.subnets).toEqual([]);
    expect(show({ "filter.search": "nothing like it" })).toMatchObject({
      groups: [],
      cells: [],
      groupCount: 0,
    });
  });

  it("by name also finds hosts, tags and subnets", () => {
    expect(rowsOf(show({ "filter.search": "LAPTOP" }))).toContain("None team:data");
    expect(rowsOf(show({ detail: "hosts", "filter.search": "color:" }))).toEqual(["web-1"]);
    expect(cellsOf(show({ detail: "roles", "filter.search": "192.168" }))).toEqual([
      "None > 192.168.5.0/24: 80",
    ]);
  });

  it("by port or protocol keeps the cells with this traffic", () => {
    expect(cellsOf(show({ detail: "roles", "filter.port": 22 }))).toEqual([
      "None > Database: 22,9100 partial",
    ]);
    expect(rowsOf(show({ detail: "roles", "filter.port": 22 }))).toEqual(["Database", "None"]);
    expect(cellsOf(show({ detail: "roles", "filter.search": "22" }))).toEqual([
      "None > Database: 22,9100 partial",
    ]);
    expect(new Set(cellsOf(show({ detail: "roles", "filter.search": "icmp" })))).toEqual(
      new Set(["Database > Router: ICMP", "Web > Router: ICMP", "None > Router: ICMP"]),
    );
    expect(show({ "filter.port": 23 })).toMatchObject({ groups: [], cells: [], subnets: [] });
  });

  it("by tag keeps hosts with the tag, also if no rule mentions it", () => {
    expect(rowsOf(show({ detail: "hosts", "filter.tag": "color:red" }))).toEqual(["web-1"]);
    const matrix = show({ "filter.tag": "team:data", "filter.port": 80 });
    expect(cellsOf(matrix)).toEqual(["None team:data > 192.168.5.0/24: 80"]);
  });
});
