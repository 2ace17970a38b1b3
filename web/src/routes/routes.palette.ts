import { listRoutes, type RouteListItem } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import type { Command, PaletteMatches, PaletteSearch } from "../lib/palette.ts";
import { read } from "../lib/query.ts";
import { commandsFrom, searchOptions, searchQuery } from "../on-demand/palette-search.ts";
import { routePath } from "../references/route-link.tsx";
import { RouteIcon } from "../ui/base/icons.tsx";

const routeCommand = ({ id, name, routableCIDRs }: RouteListItem): Command => ({
  label: name,
  description: Object.keys(routableCIDRs).join(" "),
  icon: RouteIcon,
  to: routePath(id),
});

export function useRouteSearch(search: PaletteSearch): PaletteMatches {
  const routes = useQuery({ ...read(listRoutes, { query: searchQuery(search) }), ...searchOptions(search) });
  return {
    group: { label: "Routes", commands: commandsFrom(routes, routeCommand, search) },
    queries: [routes],
  };
}
