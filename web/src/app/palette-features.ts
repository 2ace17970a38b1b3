/** What the features add to the palette, in the order shown. Pages and `adds` of the sidebar are offered without it. */
import { checkAccessAction, openAccessMatrix, useReachQuestion } from "../access/access.palette.ts";
import { exportAuditLog } from "../audit/audit.palette.ts";
import {
  rotateCertificateAuthority,
  useRotationSearch,
} from "../certificate-authorities/certificate-authorities.palette.ts";
import { openGetStarted } from "../get-started/get-started.palette.ts";
import { addSeveralHosts } from "../hosts-add/hosts-add.palette.ts";
import { addGuarantee, openGuarantees, useGuaranteeSearch } from "../guarantees/guarantees.palette.ts";
import { blockHost, exportHosts, useHostSearch } from "../hosts/hosts.palette.ts";
import type { PaletteAction, PaletteMatches, PaletteSearch } from "../lib/palette.ts";
import {
  addNotificationChannel,
  addNotificationRule,
  openNotifications,
} from "../notifications/notifications.palette.ts";
import { openRulesToReview } from "../lint/lint.palette.ts";
import { useNetworkSearch } from "../networks/networks.palette.ts";
import { useRoleSearch } from "../roles/roles.palette.ts";
import { useRouteSearch } from "../routes/routes.palette.ts";
import { inviteMember, useMemberSearch } from "../settings/settings.palette.ts";
import { reorderTags, useTagSearch } from "../tags/tags.palette.ts";

export const featureActions: readonly PaletteAction[] = [
  addSeveralHosts,
  checkAccessAction,
  openAccessMatrix,
  addGuarantee,
  openGuarantees,
  openRulesToReview,
  inviteMember,
  openNotifications,
  addNotificationRule,
  addNotificationChannel,
  reorderTags,
  blockHost,
  rotateCertificateAuthority,
  exportHosts,
  exportAuditLog,
  openGetStarted,
];

export function useFeatureSearches(search: PaletteSearch): PaletteMatches[] {
  return [
    useReachQuestion(search),
    useHostSearch(search),
    useRoleSearch(search),
    useTagSearch(search),
    useRouteSearch(search),
    useGuaranteeSearch(search),
    useNetworkSearch(search),
    useMemberSearch(search),
    useRotationSearch(search),
  ];
}
