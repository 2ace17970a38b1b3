import {
  inviteMember,
  listMembers,
  logInWithTotp,
  readmitMember,
  removeMember,
  updateMember,
  whoami,
} from "@lightkeeper/contract";
import { screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { routes as everyRoute } from "../app/router.tsx";
import {
  colleague,
  gone,
  guest,
  invited,
  late,
  me,
  menuOf,
  openMembers,
  rowOf,
  serveMembers,
} from "../testing/members.tsx";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { auditor, oidcUser } from "../testing/samples.ts";
import { failure, page, transport } from "../testing/transport.ts";

beforeEach(signIn);

it("lists the members with role and state", async () => {
  serveMembers();
  openMembers();
  const own = await rowOf(me.email);
  expect(own.getByText("You")).toBeDefined();
  expect(own.getByText("Owner")).toBeDefined();
  expect((await rowOf(guest.email)).getByText("Active (single sign-on)")).toBeDefined();
  expect((await rowOf(gone.email)).getByText("Removed")).toBeDefined();
  const invitation = await rowOf(invited.email);
  expect(invitation.getByText("Invited")).toBeDefined();
  expect(invitation.getByText(colleague.email)).toBeDefined();
  expect((await rowOf(late.email)).getByText("Invitation expired")).toBeDefined();
});

it("has a title and a count, and opens the invitation with c, for owners", async () => {
  serveMembers();
  const { user: person, path } = renderRoutes(everyRoute, "/settings/members");
  expect(await screen.findByRole("heading", { level: 1, name: /^Members\s*· 6$/ })).toBeDefined();
  await screen.findByRole("link", { name: "Invite member" });
  expect(document.title).toBe("Members - Lightkeeper");
  await person.keyboard("c");
  await vi.waitFor(() => expect(path()).toBe("/settings/members/invite"));
});

it.each([
  ["an auditor", auditor],
  ["a single sign-on user", oidcUser],
])("is read-only for %s", async (_, person) => {
  transport()
    .on(whoami, () => person)
    .on(listMembers, () => page([me]));
  const { user: reader, path } = renderRoutes(everyRoute, "/settings/members");
  expect(await screen.findByRole("heading", { level: 1, name: /^Members\s*· 1$/ })).toBeDefined();
  expect((await rowOf(me.email)).queryByRole("button")).toBeNull();
  expect(screen.getByText(/Only owners can invite people/)).toBeDefined();
  expect(screen.queryByRole("link", { name: "Invite member" })).toBeNull();
  await reader.keyboard("c");
  expect(path()).toBe("/settings/members");
});

it("shows why the list couldn't be loaded, and retries", async () => {
  const api = serveMembers().on(listMembers, () => {
    throw failure("ERR_UNAVAILABLE");
  });
  const { user: person } = openMembers();
  const retry = await screen.findByRole("button", { name: /again/i });
  api.on(listMembers, () => page([me]));
  await person.click(retry);
  expect(await rowOf(me.email)).toBeDefined();
});

it("opens at its earlier URLs", async () => {
  serveMembers();
  const { path, router } = renderRoutes(everyRoute, "/settings/user/members/grace/edit");
  expect(await screen.findByRole("dialog", { name: /^Change the role of/ })).toBeDefined();
  expect(path()).toBe("/settings/members/grace/edit");
  await router.navigate("/settings/user/members/invite");
  expect(await screen.findByRole("dialog", { name: "Invite member" })).toBeDefined();
  expect(path()).toBe("/settings/members/invite");
});

it("offers the actions of each member", async () => {
  serveMembers();
  const { user: person } = openMembers();
  expect(await menuOf(person, colleague.email)).toEqual(["Change role…", "Remove…"]);
  await person.keyboard("{Escape}");
  expect(await menuOf(person, guest.email)).toEqual(["Remove…"]);
  await person.keyboard("{Escape}");
  expect(await menuOf(person, gone.email)).toEqual(["Readmit"]);
  await person.keyboard("{Escape}");
  expect(await menuOf(person, invited.email)).toEqual([
    "Change role…",
    "Send invitation again",
    "Withdraw invitation…",
  ]);
  await person.keyboard("{Escape}");
  expect(await menuOf(person, me.email)).toEqual(["Change role…", "Leave organization…"]);
});

it("explains at every URL that only owners can change members", async () => {
  serveMembers(auditor);
  const { router } = openMembers();
  await rowOf(colleague.email);
  expect(screen.getByText(/Only owners can invite people, change roles and remove members/)).toBeDefined();
  expect(screen.queryByRole("link", { name: "Invite member" })).toBeNull();
  expect(screen.queryByRole("button", { name: `Actions for ${colleague.email}` })).toBeNull();
  for (const address of ["invite", "grace/edit", "grace/remove"]) {
    await router.navigate(`/settings/members/${address}`);
    expect(await screen.findByText(/Only owners of the organization can do this/)).toBeDefined();
    await router.navigate("/settings/members");
  }
});

describe("inviting a member", () => {
  async function fill(email: string) {
    const shown = openMembers("/settings/members/invite");
    const dialog = within(await screen.findByRole("dialog", { name: "Invite member" }));
    await shown.user.type(dialog.getByLabelText("Email address"), email);
    await shown.user.click(dialog.getByRole("radio", { name: "Auditor" }));
    return {
      ...shown,
      send: () => shown.user.click(dialog.getByRole("button", { name: "Send invitation" })),
    };
  }

  it("sends the address and the role", async () => {
    const api = serveMembers().on(inviteMember, () => invited);
    const { send, path } = await fill(" invited@example.com ");
    expect(document.title).toBe("Invite member - Lightkeeper");
    await send();
    expect(await screen.findByText("Invitation sent to invited@example.com")).toBeDefined();
    expect(path()).toBe("/settings/members");
    expect(api.calls(inviteMember)[0]?.body).toEqual({ email: "invited@example.com", role: "auditor" });
  });

  it("rejects an invalid address and an existing member on the field", async () => {
    serveMembers().on(inviteMember, () => {
      throw failure("ERR_DUPLICATE_VALUE", { path: "email" });
    });
    const { send, user: person } = await fill("nobody");
    await send();
    expect(await screen.findByText("That doesn’t look like a valid email format.")).toBeDefined();
    await person.type(screen.getByLabelText("Email address"), "@example.com");
    await send();
    expect(await screen.findByText("This person is already a member of your organization.")).toBeDefined();
  });

  it("asks for an expired second factor, and restores the form afterwards", async () => {
    serveMembers()
      .on(inviteMember, () => {
        throw failure("ERR_2FA_RENEWAL_REQUIRED");
      })
      .on(logInWithTotp, () => ({ authToken: "fresh" }));
    const { send, user: person, path } = await fill("invited@example.com");
    await send();
    expect(await screen.findByRole("heading", { name: "Confirm it’s you" })).toBeDefined();
    await person.type(screen.getByLabelText("Code from your authenticator app"), "123456");
    const dialog = within(await screen.findByRole("dialog", { name: "Invite member" }));
    expect(path()).toBe("/settings/members/invite");
    expect(dialog.getByLabelText<HTMLInputElement>("Email address").value).toBe("invited@example.com");
    expect(dialog.getByRole<HTMLInputElement>("radio", { name: "Auditor" }).checked).toBe(true);
  });

  it("can be sent again", async () => {
    const api = serveMembers().on(inviteMember, () => invited);
    const { user: person } = openMembers();
    await menuOf(person, invited.email);
    await person.click(screen.getByRole("menuitem", { name: "Send invitation again" }));
    expect(await screen.findByText("Invitation sent again to invited@example.com")).toBeDefined();
    expect(api.calls(inviteMember)[0]?.body).toEqual({ email: invited.email, role: invited.role });
  });
});

it("changes a role, but not the last owner’s", async () => {
  const api = serveMembers().on(updateMember, () => {
    throw failure("ERR_INVALID_VALUE", { path: "role" });
  });
  const { user: person, path } = openMembers(`/settings/members/${me.id}/edit`);
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getByRole<HTMLInputElement>("radio", { name: "Owner" }).checked).toBe(true);
  await person.click(dialog.getByRole("radio", { name: "Administrator" }));
  await person.click(dialog.getByRole("button", { name: "Change role" }));
  expect(await screen.findByText("This is the only owner. Make someone else an owner first.")).toBeDefined();
  api.on(updateMember, () => me);
  await person.click(dialog.getByRole("button", { name: "Change role" }));
  expect(await screen.findByText("ada@example.com is now administrator")).toBeDefined();
  expect(path()).toBe("/settings/members");
  // The current user is refetched, because their role may have changed.
  await vi.waitFor(() => expect(api.calls(whoami).length).toBeGreaterThan(1));
});

it("readmits a removed member, and asks for an expired second factor", async () => {
  const api = serveMembers().on(readmitMember, () => ({ ...gone, removedAt: null }));
  const { user: person, path } = openMembers();
  await menuOf(person, gone.email);
  await person.click(screen.getByRole("menuitem", { name: "Readmit" }));
  expect(await screen.findByText("gone@example.com can sign in again")).toBeDefined();
  expect(api.calls(readmitMember)[0]?.params).toEqual({ memberID: "gone" });
  api.on(readmitMember, () => {
    throw failure("ERR_2FA_RENEWAL_REQUIRED");
  });
  await menuOf(person, gone.email);
  await person.click(screen.getByRole("menuitem", { name: "Readmit" }));
  await vi.waitFor(() => expect(path()).toBe("/auth/mfa/renew"));
});

it("explains that a removed person can't sign in until an owner readmits them", async () => {
  serveMembers();
  openMembers("/settings/members/guest/remove");
  const dialog = within(await screen.findByRole("alertdialog", { name: "Remove guest@example.com?" }));
  expect(dialog.getByText(/can’t sign in or enroll devices until an owner readmits them/)).toBeDefined();
});

it("asks for the second factor before removing a member, and returns to the confirmation", async () => {
  const api = serveMembers()
    .on(removeMember, () => {
      throw failure("ERR_2FA_RENEWAL_REQUIRED");
    })
    .on(logInWithTotp, () => ({ authToken: "recent" }));
  const { user: person, path } = openMembers("/settings/members/grace/remove");
  const remove = async () => person.click(await screen.findByRole("button", { name: "Remove member" }));
  await remove();
  await person.type(await screen.findByLabelText("Code from your authenticator app"), "123456");
  expect(await screen.findByRole("alertdialog", { name: "Remove grace@example.com?" })).toBeDefined();
  expect(path()).toBe("/settings/members/grace/remove");
  api.on(removeMember, () => ({}));
  await remove();
  expect(await screen.findByText("grace@example.com removed")).toBeDefined();
});

it("removes a member after a confirmation, and explains when the member is gone", async () => {
  const api = serveMembers().on(removeMember, () => ({}));
  const { user: person, router } = openMembers("/settings/members/grace/remove");
  const dialog = within(await screen.findByRole("alertdialog", { name: "Remove grace@example.com?" }));
  expect(dialog.getByText(/logged out everywhere immediately.*new invitation/)).toBeDefined();
  expect(
    dialog.getByText(/Invitations that this person sent stay open \(invited@example\.com\)/),
  ).toBeDefined();
  await vi.waitFor(() => expect(dialog.queryByText("Loading API keys…")).toBeNull());
  expect(dialog.queryByRole("checkbox")).toBeNull();
  await person.click(dialog.getByRole("button", { name: "Remove member" }));
  expect(await screen.findByText("grace@example.com removed")).toBeDefined();
  expect(api.calls(removeMember)[0]).toMatchObject({
    params: { memberID: "grace" },
    query: { revokeAPIKeys: "false" },
  });
  await router.navigate("/settings/members/nobody/remove");
  expect(await screen.findByText("This person may have been removed already.")).toBeDefined();
});
