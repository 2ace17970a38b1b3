import { rotateCa, type NetworkV2 } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import type { Command, PaletteAction, PaletteMatches, PaletteSearch } from "../lib/palette.ts";
import { canCall } from "../lib/permissions.ts";
import { firstMatching, paletteNetworksQuery, wholeListOptions } from "../on-demand/palette-search.ts";
import { RefreshIcon } from "../ui/base/icons.tsx";
import { CAS_PATH, rotatePath } from "../references/ca-paths.ts";

export const rotateCertificateAuthority: PaletteAction = {
  page: CAS_PATH,
  endpoint: rotateCa,
  command: {
    label: "Rotate certificate authority…",
    keywords: "ca renew replace",
    icon: RefreshIcon,
    to: CAS_PATH,
  },
};

const rotateCommand = ({ id, name, cidrs }: NetworkV2): Command => ({
  label: `Rotate the CA of ${name}`,
  keywords: "certificate authority renew replace",
  description: cidrs.join(", "),
  icon: RefreshIcon,
  to: rotatePath(id),
});

/** Offers to rotate the CA of a network by the network's name. */
export function useRotationSearch(search: PaletteSearch): PaletteMatches {
  const { text, person, visiblePaths } = search;
  const networks = useQuery({ ...paletteNetworksQuery, ...wholeListOptions(search) });
  const canRotate = text.trim() !== "" && visiblePaths.has(CAS_PATH) && canCall(person, rotateCa);
  const commands = networks.data?.data.map(rotateCommand) ?? [];
  return { actions: canRotate ? firstMatching(commands, text) : [], queries: [networks] };
}
