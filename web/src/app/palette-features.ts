/** What the features add to the palette, in the order shown. Pages and `adds` of the sidebar are offered without it. */
import { exportAuditLog } from "../audit/audit.palette.ts";
import {
  rotateCertificateAuthority,
  useRotationSearch,
} from "../certificate-authorities/certificate-authorities.palette.ts";
import { openGetStarted } from "../get-started/get-started.palette.ts";
import { addSeveralHosts } from "../hosts-add/hosts-add.palette.ts";
import { blockHost, exportHosts, useHostSearch } from "../hosts/hosts.palette.ts";
import type { PaletteAction, PaletteMatches, PaletteSearch } from "../lib/palette.ts";
import { useNetworkSearch } from "../networks/networks.palette.ts";
import { useRoleSearch } from "../roles/roles.palette.ts";
import { useRouteSearch } from "../routes/routes.palette.ts";
import { inviteMember, useMemberSearch } from "../settings/settings.palette.ts";
import { reorderTags, useTagSearch } from "../tags/tags.palette.ts";

export const featureActions: readonly PaletteAction[] = [
  addSeveralHosts,
  inviteMember,
  reorderTags,
  blockHost,
  rotateCertificateAuthority,
  exportHosts,
  exportAuditLog,
  openGetStarted,
];

export function useFeatureSearches(search: PaletteSearch): PaletteMatches[] {
  return [
    useHostSearch(search),
    useRoleSearch(search),
    useTagSearch(search),
    useRouteSearch(search),
    useNetworkSearch(search),
    useMemberSearch(search),
    useRotationSearch(search),
  ];
}
