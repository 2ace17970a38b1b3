import { describe, expect, it } from "vitest";
import { createNetworkMap } from "../testing/network-maps.ts";
import { contains, overlaps, withMargin } from "./geometry.ts";
import { groupHosts, summarize } from "./map-groups.ts";
import { COLLAPSED_ABOVE, layOutMap, type MapLayout } from "./map-layout.ts";
import { linesOfGroups, linesOfHost } from "./map-lines.ts";
import { createMapModel, tunnelsOf } from "./map-model.ts";

const roleName = () => "Web server";

function layOut(hosts: number, { sites = 4, groupBy = "site", isCollapsed = false } = {}) {
  const model = createMapModel(createNetworkMap({ hosts, sites }));
  const groups = groupHosts(model, { groupBy, roleName });
  const layout = layOutMap(groups, {
    routes: model.routes,
    hostCount: hosts,
    isCollapsed: ({ counts }) => isCollapsed || counts.hosts > COLLAPSED_ABOVE * 100,
  });
  return { model, groups, layout };
}

const boxesOf = ({ groups }: MapLayout) =>
  groups.flatMap(({ box, subnets }) => [box, ...subnets.map((subnet) => subnet.box)]);

describe.each([1, 10, 200, 10_000])("the layout of %i hosts", (hosts) => {
  it("is the same every time", () => {
    expect(layOut(hosts).layout).toEqual(layOut(hosts).layout);
  });

  it("has every host within its group, and no two at the same place", () => {
    const { layout } = layOut(hosts);
    const places = new Set<string>();
    for (const [position, point] of layout.points.entries()) {
      const group = layout.groups[layout.groupIndexes[position] ?? -1];
      expect(point && group && contains(group.box, point)).toBe(true);
      places.add(`${point?.x} ${point?.y}`);
    }
    expect(places.size).toBe(hosts);
  });

  it("has no boxes that overlap", () => {
    const boxes = boxesOf(layOut(hosts).layout);
    for (const [index, box] of boxes.entries())
      for (const other of boxes.slice(index + 1)) expect(overlaps(box, other)).toBe(false);
  });

  it("fits within its bounds, collapsed or not", () => {
    for (const isCollapsed of [false, true]) {
      const { layout } = layOut(hosts, { isCollapsed });
      const bounds = withMargin(layout.bounds, 0.01);
      for (const { x, y, width, height } of boxesOf(layout)) {
        expect(contains(bounds, { x, y })).toBe(true);
        expect(contains(bounds, { x: x + width, y: y + height })).toBe(true);
      }
    }
  });
});

describe("a layout", () => {
  it("is wider than high with many groups", () => {
    const { bounds } = layOut(3000, { sites: 30 }).layout;
    expect(bounds.width / bounds.height).toBeGreaterThan(1);
    expect(bounds.width / bounds.height).toBeLessThan(2.5);
  });

  it("has the largest group first, hosts by role and name, and hosts without a group last", () => {
    const model = createMapModel({
      ...createNetworkMap({ hosts: 7, sites: 1 }),
      tags: ["site:fra", "site:lon"],
      hosts: { ...createNetworkMap({ hosts: 7 }).hosts, tags: [[0], [1], [1], [1], [0], [], []] },
    });
    const groups = groupHosts(model, { groupBy: "site", roleName });
    expect(groups.map(({ label, hosts }) => [label, hosts.map(({ name }) => name)])).toEqual([
      ["site:lon", ["host-003", "host-001", "host-002"]],
      ["site:fra", ["host-000", "host-004"]],
      ["No site", ["host-006", "host-005"]],
    ]);
  });

  it("has no places for the hosts of a collapsed group, whose subnets are hidden", () => {
    const { layout, groups } = layOut(200, { isCollapsed: true });
    expect(layout.points.every((point) => point === undefined)).toBe(true);
    expect(layout.groups.flatMap(({ subnets }) => subnets)).toEqual([]);
    expect(groups.map(summarize)[0]).toMatch(/^1 lighthouse, \d offline/);
  });

  it("doesn't change when a host changes its status", () => {
    const before = createNetworkMap({ hosts: 50 });
    const after = { ...before, hosts: { ...before.hosts, statuses: before.hosts.statuses.map(() => 1) } };
    const pointsOf = (map: typeof before) => {
      const model = createMapModel(map);
      const options = { routes: model.routes, hostCount: 50, isCollapsed: () => false };
      return layOutMap(groupHosts(model, { groupBy: "site", roleName }), options).points;
    };
    expect(pointsOf(after)).toEqual(pointsOf(before));
  });
});

describe("lines", () => {
  it("are one per pair of groups, with the number of tunnels", () => {
    const { model, layout } = layOut(40);
    const lines = linesOfGroups(layout, model.tunnels);
    const counted = lines.reduce((sum, { count }) => sum + Number(count?.text ?? 0), 0);
    const between = model.tunnels.filter(
      ({ first, second }) => layout.groupIndexes[first] !== layout.groupIndexes[second],
    );
    expect(counted).toBe(between.length);
    expect(lines.length).toBeLessThanOrEqual(6);
  });

  it("of a host go to its peers, and through the relay if they are relayed", () => {
    const { model, layout } = layOut(40);
    const { lines, peers } = linesOfHost(layout, tunnelsOf(model.tunnels, 3), 3);
    expect([...peers].toSorted((a, b) => a - b)).toEqual([0, 1, 6]);
    expect(lines.map(({ isDashed }) => isDashed).toSorted()).toEqual([false, true, true]);
  });

  it("of a host with many tunnels are one per group", () => {
    const positions = Array.from({ length: 300 }, (_, index) => index + 1);
    const map = createNetworkMap({ hosts: 301 });
    const direct = { first: [0], second: [positions] };
    const model = createMapModel({ ...map, tunnels: { ...map.tunnels, direct } });
    const { layout } = layOut(301);
    const { lines, peers } = linesOfHost(layout, tunnelsOf(model.tunnels, 0), 0);
    expect(lines).toHaveLength(4);
    expect(peers.size).toBe(300);
  });
});
