import type { Network } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import type { Command, PaletteMatches, PaletteSearch } from "../lib/palette.ts";
import { networkPath } from "../references/network-link.tsx";
import { firstMatching, paletteNetworksQuery, wholeListOptions } from "../references/palette-search.ts";
import { NetworkIcon } from "../ui/base/icons.tsx";

const networkCommand = ({ id, name, cidr }: Network): Command => ({
  label: name,
  description: cidr,
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
