import { expect, it } from "vitest";
import { createNetworkMap } from "../testing/network-maps.ts";
import { drawMap } from "./draw-map.ts";
import { groupHosts } from "./map-groups.ts";
import { layOutMap } from "./map-layout.ts";
import { linesOfGroups, linesOfHost } from "./map-lines.ts";
import { createMapModel, tunnelsOf } from "./map-model.ts";
import { tokenColors as colors } from "./map-colors.ts";
import { createSvgPainter } from "./svg-painter.ts";

function render(hosts: number, title = "Map of Production") {
  const map = createNetworkMap({ hosts });
  const model = createMapModel({ ...map, tags: map.tags.map((tag) => `${tag}<&"`) });
  const groups = groupHosts(model, { groupBy: "site", roleName: () => undefined });
  const layout = layOutMap(groups, { routes: model.routes, hostCount: hosts, isCollapsed: () => false });
  const painter = createSvgPainter(colors);
  drawMap(painter, colors, {
    model,
    layout,
    lines: linesOfGroups(layout, model.tunnels),
    selected: 3,
    selectedLines: linesOfHost(layout, tunnelsOf(model.tunnels, 3), 3),
    matches: undefined,
  });
  const text = painter.finish({ bounds: layout.bounds, title });
  return { groups, root: new DOMParser().parseFromString(text, "image/svg+xml").documentElement };
}

it("an SVG is valid and contains every group, host, tunnel of the selected host, and subnet", () => {
  const { groups, root } = render(200, 'A < B & "C"');
  expect(root.tagName).toBe("svg");
  expect(root.querySelector("parsererror")).toBeNull();
  expect(root.querySelector("title")?.textContent).toBe('A < B & "C"');
  const texts = [...root.querySelectorAll("text")].map(({ textContent }) => textContent);
  for (const { label } of groups) expect(texts).toContain(label);
  expect(texts).toEqual(expect.arrayContaining(["Lighthouse", "Relay", "Router", "10.9.0.0/16", "host-003"]));
  expect(root.querySelectorAll("use")).toHaveLength(200 - 3);
  expect(root.querySelectorAll("path[stroke-dasharray='4.5 4.5']").length).toBeGreaterThanOrEqual(2);
});
