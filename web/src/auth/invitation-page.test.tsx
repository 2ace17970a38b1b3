import { declineInvitation, listInvitations, signOut, whoami } from "@lightkeeper/contract";
import { screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { authState, saveUserToken } from "../lib/tokens.ts";
import { renderPage, signIn } from "../testing/render.tsx";
import { invitation, oidcUser, user } from "../testing/samples.ts";
import { failure, transport } from "../testing/transport.ts";
import { InvitationPage } from "./invitation-page.tsx";
import { LeftOrganizationPage } from "./left-organization-page.tsx";

const open = (email = "") =>
  renderPage(<InvitationPage />, {
    route: "/auth/invitation",
    at: email ? `/auth/invitation?email=${encodeURIComponent(email)}` : "/auth/invitation",
  });

it("redirects to login with the invited address when logged out", async () => {
  transport();
  const { path } = open("ada@example.com");
  await vi.waitFor(() => expect(path()).toBe("/auth/login?email=ada%40example.com"));
});

it("redirects to the second factor while it is required", async () => {
  saveUserToken("user-token");
  transport().on(whoami, () => user);
  const { path } = open();
  await vi.waitFor(() => expect(path()).toBe("/auth/mfa"));
});

it("explains to the member of another organization how to accept", async () => {
  signIn();
  transport()
    .on(whoami, () => user)
    .on(listInvitations, () => [invitation]);
  open(user.actor.email);
  expect(await screen.findByText("grace@example.com")).toBeDefined();
  expect(document.title).toBe("Auth: Invitation - Lightkeeper");
  expect(screen.getByText("Harbor")).toBeDefined();
  expect(screen.getByText("Auditor")).toBeDefined();
  expect(screen.getByRole("link", { name: "leave example.com" }).getAttribute("href")).toBe(
    "/settings/organization/leave",
  );
  expect(screen.queryByRole("button", { name: "Accept invitation" })).toBeNull();
});

it("declines, and shows when the invitation is already gone", async () => {
  signIn();
  let invitations = [invitation];
  const api = transport()
    .on(whoami, () => user)
    .on(listInvitations, () => invitations)
    .on(declineInvitation, () => {
      throw failure("ERR_NOT_FOUND");
    });
  const { user: person } = open();
  const decline = async () => {
    await person.click(await screen.findByRole("button", { name: "Decline" }));
    await person.click(await screen.findByRole("button", { name: "Decline invitation" }));
  };
  await decline();
  expect(await screen.findByText(/has expired or was withdrawn/)).toBeDefined();
  api.on(declineInvitation, () => {
    invitations = [];
    return {};
  });
  await decline();
  expect(await screen.findByText("Invitation declined")).toBeDefined();
  expect(await screen.findByText(/You have no open invitation/)).toBeDefined();
  expect(api.calls(declineInvitation)[0]?.params).toEqual({ invitationID: invitation.id });
});

it.each([
  ["another address", user, "grace@example.com"],
  ["single sign-on", oidcUser, "grace@example.com"],
] as const)("logs out an account with %s, and continues with the invited one", async (_, person, email) => {
  signIn();
  transport()
    .on(whoami, () => person)
    .on(signOut, () => ({}));
  const { user: visitor, path } = open(email);
  expect(await screen.findByRole("heading", { name: "Log out to see this invitation" })).toBeDefined();
  await visitor.click(screen.getByRole("button", { name: "Log out" }));
  await vi.waitFor(() => expect(path()).toBe("/auth/login?email=grace%40example.com"));
  expect(authState()).toBe("unauthenticated");
});

it("can be retried after a failure", async () => {
  signIn();
  const api = transport()
    .on(whoami, () => user)
    .on(listInvitations, () => {
      throw failure("ERR_UNAVAILABLE");
    });
  const { user: person } = open();
  const again = await screen.findByRole("button", { name: "Try again" });
  api.on(listInvitations, () => [invitation]);
  await person.click(again);
  expect(await screen.findByText("Harbor")).toBeDefined();
});

it("has a page for after leaving", () => {
  renderPage(<LeftOrganizationPage />, { route: "/left-organization" });
  expect(document.title).toBe("Organization left - Lightkeeper");
  expect(screen.getByRole("link", { name: "Log in" }).getAttribute("href")).toBe("/auth/login");
});
