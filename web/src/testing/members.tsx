/** The page of members with one member in each state. */
import { listApiKeys, listMembers, type Member, whoami } from "@lightkeeper/contract";
import { screen, within } from "@testing-library/react";
import { lazyPage } from "../lib/lazy-page.ts";
import { renderRoutes } from "./render.tsx";
import { user } from "./samples.ts";
import { page, transport } from "./transport.ts";

export const memberWith = (id: string, more: Partial<Member> = {}): Member => ({
  id,
  kind: "user",
  email: `${id}@example.com`,
  role: "administrator",
  createdAt: "2026-11-01T09:00:00Z",
  expiresAt: null,
  removedAt: null,
  invitedBy: null,
  ...more,
});
export const me = memberWith(user.actor.id, { email: user.actor.email, role: "owner" });
export const colleague = memberWith("grace");
export const guest = memberWith("guest", { kind: "oidcUser", role: "auditor" });
export const gone = memberWith("gone", { kind: "oidcUser", removedAt: "2026-11-02T09:00:00Z" });
export const invited = memberWith("invited", {
  kind: "invitation",
  expiresAt: "2099-01-01T00:00:00Z",
  invitedBy: colleague.email,
});
export const late = memberWith("late", { kind: "invitation", expiresAt: "2020-01-01T00:00:00Z" });

export const serveMembers = (person = user) =>
  transport()
    .on(whoami, () => person)
    .on(listMembers, () => page([me, colleague, guest, gone, invited, late]))
    .on(listApiKeys, () => page([]));
const routes = [
  {
    path: "/settings/members",
    lazy: lazyPage(async () => (await import("../settings/members-page.tsx")).MembersPage),
    children: [
      {
        path: "invite",
        lazy: lazyPage(async () => (await import("../settings/member-invite-dialog.tsx")).MemberInviteDialog),
      },
      {
        path: ":memberID/edit",
        lazy: lazyPage(async () => (await import("../settings/member-edit-dialog.tsx")).MemberEditDialog),
      },
      {
        path: ":memberID/remove",
        lazy: lazyPage(async () => (await import("../settings/member-remove-dialog.tsx")).MemberRemoveDialog),
      },
    ],
  },
  {
    path: "/auth/mfa/renew",
    lazy: lazyPage(async () => (await import("../auth/mfa-renew-page.tsx")).MfaRenewPage),
  },
];
export const openMembers = (at = "/settings/members") => renderRoutes(routes, at);
export const rowOf = async (email: string) => {
  const table = within(await screen.findByRole("table", { name: "Members" }));
  return within((await table.findByText(email, { selector: "[data-lead] *" })).closest("tr")!);
};
export const menuOf = async (person: ReturnType<typeof openMembers>["user"], email: string) => {
  await person.click((await rowOf(email)).getByRole("button", { name: `Actions for ${email}` }));
  await screen.findByRole("menu");
  return screen.getAllByRole("menuitem").map(({ textContent }) => textContent);
};
