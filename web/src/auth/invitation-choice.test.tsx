import {
  acceptInvitation,
  createOwnOrganization,
  declineInvitationByLink,
  type Invitation,
  listInvitationsByLink,
  verifyMagicLink,
  whoami,
} from "@lightkeeper/contract";
import { screen, within } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { takeReturnTo } from "../lib/session.ts";
import { readTokens } from "../lib/tokens.ts";
import { renderPage } from "../testing/render.tsx";
import { invitation, userOf } from "../testing/samples.ts";
import { failure, transport, type Transport } from "../testing/transport.ts";
import { MagicLinkPage } from "./magic-link-page.tsx";

const second: Invitation = {
  ...invitation,
  id: `invite-${"B".repeat(26)}`,
  organizationName: "Lagoon",
  invitedBy: null,
  role: "owner",
};
const email = "ada@example.com";

/** Opens the link of an invited address and gives the click that verifies it. */
async function open(api: Transport, invitations: readonly Invitation[], canCreateOrganization = true) {
  let left = [...invitations];
  api
    .on(verifyMagicLink, () => {
      throw failure("ERR_INVITATION_PENDING");
    })
    .on(listInvitationsByLink, () => ({ email, invitations: left, canCreateOrganization }))
    .on(whoami, () => userOf(false));
  const shown = renderPage(<MagicLinkPage />, {
    route: "/auth/magic-link",
    at: "/auth/magic-link?magicLinkToken=link-token&plan=pro",
  });
  await shown.user.click(screen.getByRole("button", { name: "Log in" }));
  const leave = (remaining: Invitation[]) => void (left = remaining);
  return { ...shown, leave, press: (name: string) => shown.user.click(screen.getByRole("button", { name })) };
}

it("shows organization, inviter and role before accepting", async () => {
  const api = transport();
  await open(api, [invitation]);
  const heading = await screen.findByRole("heading", { name: "Join Harbor" });
  expect(document.title).toBe("Auth: Invitation - Lightkeeper");
  expect(document.activeElement).toBe(heading);
  for (const fact of ["Harbor", "grace@example.com", "Auditor", "Read-only access, including the audit log."])
    expect(screen.getByText(fact)).toBeDefined();
  expect(screen.getByText(email)).toBeDefined();
  expect(api.calls(listInvitationsByLink)[0]?.body).toEqual({ magicLinkToken: "link-token" });
  expect(api.calls(acceptInvitation)).toEqual([]);
  expect(readTokens().userToken).toBeUndefined();
});

it("accepts with the role that was shown, and goes to the authenticator setup", async () => {
  const api = transport().on(acceptInvitation, () => ({ sessionToken: "session-token" }));
  const { press, path } = await open(api, [invitation]);
  await screen.findByRole("heading", { name: "Join Harbor" });
  await press("Accept invitation");
  await vi.waitFor(() => expect(path()).toBe("/auth/mfa/register"));
  expect(api.calls(acceptInvitation)).toMatchObject([
    { params: { invitationID: invitation.id }, body: { magicLinkToken: "link-token", role: "auditor" } },
  ]);
  expect(readTokens().userToken).toBe("session-token");
  // The plan was for an organization of their own.
  expect(takeReturnTo()).toBe("/");
});

it("shows every invitation, and accepts the one that was chosen", async () => {
  const api = transport().on(acceptInvitation, () => ({ sessionToken: "session-token" }));
  const { press, user, path } = await open(api, [invitation, second]);
  await screen.findByRole("heading", { name: "Choose an organization" });
  expect(screen.getByRole<HTMLInputElement>("radio", { name: "Harbor" }).checked).toBe(true);
  await user.click(screen.getByRole("radio", { name: "Lagoon" }));
  expect(screen.getByText("Not recorded")).toBeDefined();
  await press("Accept invitation");
  await vi.waitFor(() => expect(path()).toBe("/auth/mfa/register"));
  expect(api.calls(acceptInvitation)[0]?.params).toEqual({ invitationID: second.id });
  expect(api.calls(acceptInvitation)[0]?.body).toMatchObject({ role: "owner" });
});

it("declines one invitation after the other, each after a confirmation", async () => {
  const api = transport();
  const { press, leave } = await open(api, [invitation, second]);
  api.on(declineInvitationByLink, ({ params }) => {
    leave(params.invitationID === invitation.id ? [second] : []);
    return {};
  });
  await screen.findByRole("heading", { name: "Choose an organization" });
  await press("Decline");
  const dialog = within(
    await screen.findByRole("alertdialog", { name: "Decline the invitation to Harbor?" }),
  );
  expect(dialog.getByText(/grace@example.com can invite you again/)).toBeDefined();
  await press("Decline invitation");
  await screen.findByRole("heading", { name: "Join Lagoon" });
  await press("Decline");
  await screen.findByRole("alertdialog");
  await press("Decline invitation");
  expect(await screen.findByRole("heading", { name: "Invitation declined" })).toBeDefined();
  expect(screen.getByRole("link", { name: "Sign up instead" }).getAttribute("href")).toBe("/signup");
  expect(api.calls(declineInvitationByLink).map(({ params }) => params.invitationID)).toEqual([
    invitation.id,
    second.id,
  ]);
});

it("creates an own organization after a confirmation, where sign-up is open", async () => {
  const api = transport().on(createOwnOrganization, () => ({ sessionToken: "session-token" }));
  const { press, path } = await open(api, [invitation]);
  await screen.findByRole("heading", { name: "Join Harbor" });
  await press("Create your own organization instead");
  await screen.findByRole("alertdialog", { name: "Create your own organization?" });
  await press("Create organization");
  await vi.waitFor(() => expect(path()).toBe("/auth/mfa/register"));
  expect(api.calls(createOwnOrganization)[0]?.body).toEqual({ magicLinkToken: "link-token" });
  expect(takeReturnTo()).toBe("/signup/pro");
});

it("does not offer it where sign-up is closed", async () => {
  await open(transport(), [invitation], false);
  await screen.findByRole("heading", { name: "Join Harbor" });
  expect(screen.queryByRole("button", { name: /Create your own/ })).toBeNull();
});

it("shows that the role has changed, shows the new role, and accepts it", async () => {
  const api = transport().on(acceptInvitation, () => {
    throw failure("ERR_INVALID_VALUE", { path: "role" });
  });
  const { press, leave } = await open(api, [invitation]);
  await screen.findByRole("heading", { name: "Join Harbor" });
  leave([{ ...invitation, role: "owner" }]);
  await press("Accept invitation");
  expect((await screen.findByRole("alert")).textContent).toBe(
    "The role of this invitation has changed. Check the new role, then accept again.",
  );
  expect(await screen.findByText("Owner")).toBeDefined();
  api.on(acceptInvitation, () => ({ sessionToken: "session-token" }));
  await press("Accept invitation");
  await vi.waitFor(() => expect(readTokens().userToken).toBe("session-token"));
  expect(api.calls(acceptInvitation)[1]?.body).toMatchObject({ role: "owner" });
});

it("shows that an invitation is gone, and the remaining ones", async () => {
  const api = transport().on(acceptInvitation, () => {
    throw failure("ERR_NOT_FOUND");
  });
  const { press, leave } = await open(api, [invitation, second]);
  await screen.findByRole("heading", { name: "Choose an organization" });
  leave([second]);
  await press("Accept invitation");
  expect((await screen.findByRole("alert")).textContent).toMatch(/has expired or was withdrawn/);
  await screen.findByRole("heading", { name: "Join Lagoon" });
  leave([]);
  await press("Accept invitation");
  expect(await screen.findByRole("heading", { name: "No open invitation" })).toBeDefined();
});

it("offers a new link once this one has expired or was used", async () => {
  const api = transport().on(acceptInvitation, () => {
    throw failure("ERR_INVALID_MAGIC_LINK_TOKEN", { path: "magicLinkToken" });
  });
  const { press } = await open(api, [invitation]);
  await screen.findByRole("heading", { name: "Join Harbor" });
  await press("Accept invitation");
  expect((await screen.findByRole("alert")).textContent).toBe("Magic link was invalid");
  expect(screen.getByRole("link", { name: "Get a new link" }).getAttribute("href")).toBe("/auth/login");
});

it.each([
  ["ERR_ALREADY_MEMBER", /already belongs to an organization\. Log in and leave/],
  ["ERR_TOO_MANY_REQUESTS", /^Too many requests, please try again later\.$/],
] as const)("shows what to do on %s", async (code, message) => {
  const api = transport().on(acceptInvitation, () => {
    throw failure(code);
  });
  const { press } = await open(api, [invitation]);
  await screen.findByRole("heading", { name: "Join Harbor" });
  await press("Accept invitation");
  expect((await screen.findByRole("alert")).textContent).toMatch(message);
});

it("can be retried when the server is unreachable", async () => {
  const api = transport();
  const { press } = await open(api, [invitation]);
  api.on(listInvitationsByLink, () => ({ email, invitations: [invitation], canCreateOrganization: true }));
  expect(await screen.findByRole("heading", { name: "Join Harbor" })).toBeDefined();
  await press("Decline");
  api.on(declineInvitationByLink, () => {
    throw failure("ERR_INTERNAL_SERVER_ERROR");
  });
  const alert = vi.spyOn(window, "alert").mockImplementation(() => undefined);
  await screen.findByRole("alertdialog");
  await press("Decline invitation");
  await vi.waitFor(() => expect(alert).toHaveBeenCalledOnce());
  expect(screen.getByRole("heading", { name: "Join Harbor" })).toBeDefined();
});
