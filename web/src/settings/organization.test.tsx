import {
  type CurrentUser,
  deleteOrganization,
  getBilling,
  getFeatureFlags,
  listApiKeys,
  signOut,
  updateOrganization,
  whoami,
} from "@lightkeeper/contract";
import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { routes } from "../app/router.tsx";
import { takeReturnTo } from "../lib/session.ts";
import { readTokens, removeAuthTokens, saveAuthToken } from "../lib/tokens.ts";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { auditor, billing, oidcUser, organization, user } from "../testing/samples.ts";
import { failure, page, transport } from "../testing/transport.ts";

beforeEach(signIn);

const administrator: CurrentUser = { ...user, actor: { ...user.actor, role: "administrator" } };

const served = () =>
  transport()
    .on(whoami, () => user)
    .on(getFeatureFlags, () => ({}))
    .on(getBilling, () => ({ ...billing, provider: "builtin" as const }));
const open = (at = "/settings/organization") => renderRoutes(routes, at);

describe("the page", () => {
  const controls = () =>
    screen
      .getAllByRole("link", { name: /…$/ })
      .map(({ textContent }) => textContent)
      .sort();

  it.each([
    ["an owner", user, ["Delete organization…", "Leave organization…", "Rename…"], undefined],
    [
      "an administrator",
      administrator,
      ["Leave organization…", "Rename…"],
      /Only owners can delete the organization/,
    ],
    [
      "a single sign-on user",
      oidcUser,
      ["Leave organization…", "Rename…"],
      /Only owners can delete the organization/,
    ],
    [
      "an auditor",
      auditor,
      ["Leave organization…"],
      /Only owners and administrators can rename.*only owners can delete it/,
    ],
  ])(
    "shows name and ID to %s, and explains who can change what they can't",
    async (_, person, acts, sentence) => {
      served().on(whoami, () => person);
      open();
      expect(await screen.findByRole("heading", { level: 1, name: "Organization" })).toBeDefined();
      const card = within(screen.getByRole("region", { name: "Details" }));
      expect(card.getByText("example.com")).toBeDefined();
      expect(card.getByText(organization.id)).toBeDefined();
      expect(document.title).toBe("Organization - Lightkeeper");
      expect(controls()).toEqual(acts);
      if (sentence) expect(screen.getByText(sentence)).toBeDefined();
      else expect(screen.queryByText(/Only owners/)).toBeNull();
    },
  );

  it.each(["rename", "delete"])("closes %s for an auditor", async (act) => {
    served().on(whoami, () => auditor);
    const { path } = open(`/settings/organization/${act}`);
    await waitFor(() => expect(path()).toBe("/settings/organization"));
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(screen.queryByRole("alertdialog")).toBeNull();
  });

  it.each([
    ["/settings/billing/rename-organization", "/settings/organization/rename", "dialog"],
    ["/settings/billing/leave?x=1", "/settings/organization/leave?x=1", "alertdialog"],
    ["/settings/billing/delete-organization", "/settings/organization/delete", "alertdialog"],
    ["/settings/user/leave", "/settings/organization/leave", "alertdialog"],
  ])("redirects %s, a URL of earlier versions, to %s", async (from, to, role) => {
    served().on(listApiKeys, () => page([]));
    const { path } = open(from);
    expect(await screen.findByRole(role)).toBeDefined();
    expect(path()).toBe(to);
  });
});

describe("renaming the organization", () => {
  it("rejects invisible characters, and keeps the name after the session was renewed", async () => {
    served();
    const { user: person, router } = open("/settings/organization/rename");
    const name = await screen.findByLabelText<HTMLInputElement>("Name");
    await person.clear(name);
    await person.click(name);
    await person.paste("Har\u200Bbor");
    await person.keyboard("{Enter}");
    expect((await screen.findByRole("alert")).textContent).toMatch(/invisible characters/);
    act(() => removeAuthTokens());
    // The page is replaced a moment after its path, and the draft is saved only then.
    await screen.findByLabelText(/^Code from/);
    expect(router.state.location.pathname).toBe("/auth/mfa");
    act(() => saveAuthToken("fresh"));
    await waitFor(() => expect(router.state.location.pathname).toBe("/settings/organization/rename"));
    await waitFor(async () =>
      expect((await screen.findByLabelText<HTMLInputElement>("Name")).value).toBe("Har\u200Bbor"),
    );
  });

  it("shows the new name immediately", async () => {
    const api = served().on(updateOrganization, ({ body }) => {
      api.on(whoami, () => ({ ...user, organization: { ...organization, name: body.name } }));
      return { ...organization, name: body.name };
    });
    const { user: person, path } = open();
    await person.click(await screen.findByRole("link", { name: "Rename…" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Rename organization" }));
    const name = await dialog.findByLabelText("Name");
    await person.clear(name);
    await person.keyboard("{Enter}");
    expect((await dialog.findByRole("alert")).textContent).toBe("Enter a name (up to 255 characters).");
    await person.type(name, "Harbour{Enter}");
    const card = within(await screen.findByRole("region", { name: "Details" }));
    expect(await card.findByText("Harbour")).toBeDefined();
    expect(path()).toBe("/settings/organization");
    expect(api.calls(updateOrganization)[0]).toMatchObject({
      params: { organizationID: organization.id },
      body: { name: "Harbour" },
    });
  });
});

describe("deleting the organization", () => {
  async function openDialog() {
    const rendered = open();
    await rendered.user.click(await screen.findByRole("link", { name: "Delete organization…" }));
    const dialog = within(await screen.findByRole("alertdialog", { name: "Delete example.com?" }));
    const confirm = () => rendered.user.click(dialog.getByRole("button", { name: "Delete organization" }));
    return { ...rendered, dialog, confirm, typed: await dialog.findByLabelText(/to confirm$/) };
  }

  it("requires its name, deletes it and logs out [S7.16] [S2.1]", async () => {
    const api = served()
      .on(deleteOrganization, () => ({}))
      .on(signOut, () => {
        throw failure("ERR_UNAUTHORIZED");
      });
    const { user: person, dialog, confirm, typed, path } = await openDialog();
    await person.type(typed, "example.org");
    await confirm();
    expect((await dialog.findByRole("alert")).textContent).toBe("Enter the organization’s exact name.");
    expect(api.calls(deleteOrganization)).toEqual([]);
    await person.clear(typed);
    await person.type(typed, "example.com{Enter}");
    expect(await screen.findByRole("heading", { name: "Your account was deleted" })).toBeDefined();
    expect(path()).toBe("/deleted-account");
    await waitFor(() => expect(readTokens()).toEqual({}));
    expect(path()).toBe("/deleted-account");
    expect(api.calls(deleteOrganization)[0]?.params).toEqual({ organizationID: organization.id });
  });

  it("shows that the account is deleted when the session ends first [S2.1]", async () => {
    const api = served()
      .on(deleteOrganization, () => {
        api.on(whoami, () => {
          throw failure("ERR_UNAUTHORIZED");
        });
        return {};
      })
      .on(signOut, () => {
        throw failure("ERR_UNAUTHORIZED");
      });
    const { user: person, typed, path } = await openDialog();
    await person.type(typed, "example.com{Enter}");
    expect(await screen.findByRole("heading", { name: "Your account was deleted" })).toBeDefined();
    await person.click(screen.getByRole("link", { name: "Home" }));
    expect(await screen.findByRole("heading", { name: "Log in" })).toBeDefined();
    expect(path()).toBe("/auth/login");
  });

  it("shows that a paid plan must be downgraded first [S8.15]", async () => {
    served().on(deleteOrganization, () => {
      throw failure("ERR_BILLING_INVALID_STATE");
    });
    const { user: person, dialog, confirm, typed } = await openDialog();
    await person.type(typed, "example.com");
    await confirm();
    expect((await dialog.findByRole("alert")).textContent).toBe(
      "Please downgrade to the Free plan before deleting your account.",
    );
  });

  it("restores the form after the second factor was renewed", async () => {
    served().on(deleteOrganization, () => {
      throw failure("ERR_2FA_RENEWAL_REQUIRED");
    });
    const { user: person, confirm, typed, path, router } = await openDialog();
    await person.type(typed, "example.com");
    await confirm();
    await waitFor(() => expect(path()).toBe("/auth/mfa/renew"));
    const back = takeReturnTo();
    expect(back).toBe("/settings/organization/delete");
    await router.navigate(back);
    expect((await screen.findByLabelText<HTMLInputElement>(/to confirm$/)).value).toBe("example.com");
  });
});
