import { inviteMember as inviteMemberEndpoint, listMembers, type Member } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import type { Command, PaletteAction, PaletteMatches, PaletteSearch } from "../lib/palette.ts";
import { read } from "../lib/query.ts";
import { memberRoleLabels } from "../references/member-role-labels.ts";
import { firstMatching, wholeListOptions, wholeListQuery } from "../on-demand/palette-search.ts";
import { AccountIcon, PlusIcon } from "../ui/base/icons.tsx";
import { memberStateLabels } from "./member-state-labels.ts";
import { MEMBER_INVITE_PATH, MEMBERS_PATH } from "../references/settings-paths.ts";

export const inviteMember: PaletteAction = {
  page: MEMBERS_PATH,
  endpoint: inviteMemberEndpoint,
  command: {
    label: "Invite member",
    keywords: "create new add user person",
    icon: PlusIcon,
    to: MEMBER_INVITE_PATH,
  },
};

const memberCommand = ({ email, role, kind, removedAt }: Member): Command => ({
  label: email,
  keywords: "member user person",
  description: [memberRoleLabels[role].label, removedAt === null ? memberStateLabels[kind] : "Removed"].join(
    " · ",
  ),
  icon: AccountIcon,
  to: MEMBERS_PATH,
});

export function useMemberSearch(search: PaletteSearch): PaletteMatches {
  const members = useQuery({ ...read(listMembers, { query: wholeListQuery }), ...wholeListOptions(search) });
  const commands = members.data?.data.map(memberCommand) ?? [];
  return {
    group: { label: "Members", commands: firstMatching(commands, search.text) },
    queries: [members],
  };
}
