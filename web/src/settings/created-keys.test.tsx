import {
  leaveOrganization,
  listApiKeys,
  listMembers,
  logInWithTotp,
  type Member,
  removeMember,
  signOut,
  whoami,
} from "@lightkeeper/contract";
import { screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Person } from "../lib/current-user.ts";
import { authState } from "../lib/tokens.ts";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { auditor, key, oidcUser, user } from "../testing/samples.ts";
import { failure, page, transport } from "../testing/transport.ts";
import { RequireAuthenticated } from "../app/guards.tsx";
import { lazyPage } from "../lib/lazy-page.ts";

beforeEach(signIn);

const grace: Member = {
  id: "grace",
  kind: "user",
  email: "grace@example.com",
  role: "administrator",
  createdAt: "2026-11-01T09:00:00Z",
  expiresAt: null,
  invitedBy: null,
  removedAt: null,
};
const createdBy = { id: grace.id, email: grace.email };
const used = { ...key, id: `lkkey-${"B".repeat(26)}`, name: "Backup", lastUsedAt: "2026-11-10T09:00:00Z" };
const keysOf = (creator: typeof createdBy) => [
  { ...key, createdBy: creator },
  { ...used, createdBy: creator },
  { ...key, id: `lkkey-${"C".repeat(26)}`, name: "Of another person", createdBy: null },
];
const routes = [
  {
    path: "/settings/members",
    children: [
      {
        path: ":memberID/remove",
        lazy: lazyPage(async () => (await import("./member-remove-dialog.tsx")).MemberRemoveDialog),
      },
    ],
  },
  {
    Component: RequireAuthenticated,
    children: [
      { path: "/settings/organization", element: <p>Settings</p> },
      {
        path: "/settings/organization/leave",
        lazy: lazyPage(async () => (await import("./leave-dialog.tsx")).LeaveDialog),
      },
    ],
  },
  {
    path: "/auth/mfa/renew",
    lazy: lazyPage(async () => (await import("../auth/mfa-renew-page.tsx")).MfaRenewPage),
  },
  {
    path: "/left-organization",
    lazy: lazyPage(async () => (await import("../auth/left-organization-page.tsx")).LeftOrganizationPage),
  },
];
const dialogNamed = async (name: string) => within(await screen.findByRole("alertdialog", { name }));

describe("removing a member who created API keys", () => {
  const open = async (listKeys = () => page(keysOf(createdBy))) => {
    const api = transport()
      .on(whoami, () => user)
      .on(listMembers, () => page([grace]))
      .on(listApiKeys, listKeys)
      .on(removeMember, () => ({}));
    const shown = renderRoutes(routes, "/settings/members/grace/remove");
    return { ...shown, api, dialog: await dialogNamed("Remove grace@example.com?") };
  };

  it("lists the keys with their last use, and revokes them by default", async () => {
    const { api, dialog, user: person } = await open();
    const box = await dialog.findByRole<HTMLInputElement>("checkbox", { name: "Revoke these API keys" });
    expect(box.checked).toBe(true);
    expect(dialog.getByText("Keys that you don’t revoke continue to work.")).toBeDefined();
    const items = dialog.getAllByRole("listitem").map(({ textContent }) => textContent);
    expect(items).toEqual([
      expect.stringMatching(/^Terraform.*never used$/),
      expect.stringMatching(/^Backup.*last used/),
    ]);
    await person.click(dialog.getByRole("button", { name: "Remove member" }));
    await vi.waitFor(() => expect(api.calls(removeMember)[0]?.query).toEqual({ revokeAPIKeys: "true" }));
  });

  it("keeps the keys when the checkbox is cleared", async () => {
    const { api, dialog, user: person } = await open();
    await person.click(await dialog.findByRole("checkbox", { name: "Revoke these API keys" }));
    await person.click(dialog.getByRole("button", { name: "Remove member" }));
    await vi.waitFor(() => expect(api.calls(removeMember)[0]?.query).toEqual({ revokeAPIKeys: "false" }));
  });

  it("still offers to revoke the keys when the list can't be loaded", async () => {
    const {
      api,
      dialog,
      user: person,
    } = await open(() => {
      throw failure("ERR_UNAVAILABLE");
    });
    expect(await dialog.findByText("Couldn’t load the API keys.")).toBeDefined();
    await person.click(dialog.getByRole("button", { name: "Remove member" }));
    await vi.waitFor(() => expect(api.calls(removeMember)[0]?.query).toEqual({ revokeAPIKeys: "true" }));
  });
});

describe("leaving", () => {
  const open = async (person: Person) => {
    const creator = { id: person.actor.id, email: person.actor.email };
    const api = transport()
      .on(whoami, () => person)
      .on(listApiKeys, () => page(keysOf(creator)))
      .on(signOut, () => {
        throw failure("ERR_UNAUTHORIZED");
      })
      .on(leaveOrganization, () => ({}));
    const shown = renderRoutes(routes, "/settings/organization/leave?page=2");
    const dialog = await dialogNamed("Leave example.com?");
    const confirm = async () => {
      await vi.waitFor(() => expect(dialog.queryByText("Loading API keys…")).toBeNull());
      await shown.user.click(dialog.getByRole("button", { name: "Leave organization" }));
    };
    return { ...shown, api, dialog, confirm };
  };

  it("explains the consequences, ends the session, and shows a page that needs none", async () => {
    const { api, dialog, confirm, path } = await open(user);
    expect(document.title).toBe("Leave organization - Lightkeeper");
    expect(
      dialog.getByText(/account and its authenticators are deleted.*stay in example\.com/),
    ).toBeDefined();
    await confirm();
    expect(await screen.findByRole("heading", { name: "You left the organization" })).toBeDefined();
    expect(path()).toBe("/left-organization");
    expect(api.calls(leaveOrganization)[0]?.query).toEqual({ revokeAPIKeys: "true" });
    await vi.waitFor(() => expect(authState()).toBe("unauthenticated"));
  });

  it("is rejected to the only owner, with the same message as a removal", async () => {
    const { api, dialog, confirm } = await open(user);
    api.on(leaveOrganization, () => {
      throw failure("ERR_INVALID_VALUE");
    });
    await confirm();
    expect((await dialog.findByRole("alert")).textContent).toBe(
      "This is the only owner. Make someone else an owner first.",
    );
    expect(authState()).toBe("authenticated");
  });

  it("keeps an auditor’s API keys, and explains it", async () => {
    const { api, dialog, confirm } = await open(auditor);
    expect(await dialog.findByText(/These keys continue to work/)).toBeDefined();
    expect(dialog.queryByRole("checkbox")).toBeNull();
    await confirm();
    await vi.waitFor(() =>
      expect(api.calls(leaveOrganization)[0]?.query).toEqual({ revokeAPIKeys: "false" }),
    );
  });

  it("explains to a single sign-on user how to rejoin", async () => {
    const { dialog } = await open(oidcUser as Person);
    expect(dialog.getByText(/rejoin with single sign-on/)).toBeDefined();
  });

  it("asks for a recent second factor, and returns to the confirmation", async () => {
    const { api, confirm, path, user: person } = await open(user);
    api
      .on(leaveOrganization, () => {
        throw failure("ERR_2FA_RENEWAL_REQUIRED");
      })
      .on(logInWithTotp, () => ({ authToken: "fresh" }));
    await confirm();
    await person.type(await screen.findByLabelText("Code from your authenticator app"), "123456");
    await dialogNamed("Leave example.com?");
    expect(path()).toBe("/settings/organization/leave?page=2");
  });

  it("returns to the page below on Cancel", async () => {
    const { dialog, path, user: person } = await open(user);
    await person.click(dialog.getByRole("button", { name: "Cancel" }));
    await screen.findByText("Settings");
    expect(path()).toBe("/settings/organization?page=2");
  });
});
