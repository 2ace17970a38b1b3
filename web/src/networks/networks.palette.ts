import type { NetworkV2 } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import type { Command, PaletteMatches, PaletteSearch } from "../lib/palette.ts";
import { networkPath } from "../references/network-link.tsx";
import { firstMatching, paletteNetworksQuery, wholeListOptions } from "../on-demand/palette-search.ts";
import { NetworkIcon } from "../ui/base/icons.tsx";

const networkCommand = ({ id, name, cidrs }: NetworkV2): Command => ({
  label: name,
  description: cidrs.join(", "),
  icon: NetworkIcon,
  to: networkPath(id),
});

export function useNetworkSearch(search: PaletteSearch): PaletteMatches {
  const networks = useQuery({ ...paletteNetworksQuery, ...wholeListOptions(search) });
  const commands = networks.data?.data.map(networkCommand) ?? [];
  return {
    group: { label: "Networks", commands: firstMatching(commands, search.text) },
    queries: [networks],
  };
}
