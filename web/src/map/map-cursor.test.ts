import { describe, expect, it } from "vitest";
import { createNetworkMap } from "../testing/network-maps.ts";
import { centerOf } from "./geometry.ts";
import { describeTarget, enterGroup, findHit, findNext, stepGroup } from "./map-cursor.ts";
import { groupHosts } from "./map-groups.ts";
import { layOutMap } from "./map-layout.ts";
import { createMapModel } from "./map-model.ts";

const roleName = () => "Web server";
const model = createMapModel(createNetworkMap({ hosts: 80 }));
const groups = groupHosts(model, { groupBy: "site", roleName });
const layout = layOutMap(groups, {
  routes: model.routes,
  hostCount: 80,
  isCollapsed: ({ key }) => key === "site:sin",
});
const collapsed = layout.groups.findIndex(({ isCollapsed }) => isCollapsed);

describe("arrow keys", () => {
  it("move to the nearest host, and back", () => {
    const first = groups[0]!.hosts.find(({ infrastructure }) => !infrastructure)!;
    const next = findNext(layout, { host: first.position }, "ArrowRight");
    expect(next).not.toEqual({ host: first.position });
    expect(next && findNext(layout, next, "ArrowLeft")).toEqual({ host: first.position });
  });

  it("reach every host and collapsed group", () => {
    const start = enterGroup(layout, 0)!;
    const reached = new Map([[JSON.stringify(start), start]]);
    const pending = [start];
    for (let target = pending.pop(); target; target = pending.pop())
      for (const direction of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"] as const) {
        const next = findNext(layout, target, direction);
        if (!next || reached.has(JSON.stringify(next))) continue;
        reached.set(JSON.stringify(next), next);
        pending.push(next);
      }
    const shown = layout.points.filter((point) => point !== undefined);
    expect(reached.size).toBe(shown.length + 1);
  });

  it("stop at the edge", () => {
    const top = layout.points.reduce((highest, point, position) => {
      const best = layout.points[highest];
      return point && best && point.y < best.y ? position : highest;
    }, groups[0]!.hosts[0]!.position);
    const above = findNext(layout, { host: top }, "ArrowUp");
    expect(above === undefined || "group" in above).toBe(true);
  });
});

it("[ and ] move between groups, around the end", () => {
  let target = enterGroup(layout, 0);
  const visited = groups.map(() => {
    target = stepGroup(layout, target, 1);
    return target;
  });
  expect(visited.at(-1)).toEqual(enterGroup(layout, 0));
  expect(visited).toContainEqual({ group: collapsed });
  expect(stepGroup(layout, enterGroup(layout, 0), -1)).toEqual(enterGroup(layout, groups.length - 1));
});

describe("a point of the map", () => {
  it("is a host, the router of a subnet, a header or nothing", () => {
    expect(findHit(layout, layout.points[4]!, 5)).toEqual({ host: 4 });
    const subnet = layout.groups.flatMap(({ subnets }) => subnets)[0]!;
    expect(findHit(layout, centerOf(subnet.box), 5)).toEqual({ host: 2 });
    const { x, y } = layout.groups[0]!.box;
    expect(findHit(layout, { x: x + 60, y: y + 12 }, 5)).toEqual({ header: 0 });
    expect(findHit(layout, centerOf(layout.groups[collapsed]!.box), 5)).toEqual({ header: collapsed });
    expect(findHit(layout, { x: -500, y: -500 }, 5)).toBeUndefined();
  });
});

it("a target is described in words", () => {
  const describeIt = (target: Parameters<typeof describeTarget>[2]["target"]) =>
    describeTarget(model, layout, { target, roleName });
  expect(describeIt({ host: 0 })).toBe("host-000, lighthouse, Online, site:fra, 1 tunnel");
  expect(describeIt({ host: 1 })).toBe("host-001, relay, Online, Web server, site:lon, 0 tunnels");
  expect(describeIt({ host: 5 })).toContain("Online");
  expect(describeIt({ group: collapsed })).toMatch(/^site:sin, 20 hosts, collapsed, /);
});
