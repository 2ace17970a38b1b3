import {
  createTotpAuthenticator,
  deleteTotpAuthenticator,
  getRecoveryCodes,
  getTotpAuthenticator,
  listMembers,
  listSessions,
  listTotpAuthenticators,
  logInWithTotp,
  type TotpAuthenticator,
  updateTotpAuthenticator,
  verifyTotpAuthenticator,
  whoami,
} from "@lightkeeper/contract";
import { screen, within } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { Outlet } from "react-router";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { RouteError } from "../app/error-page.tsx";
import { routes as everyRoute } from "../app/router.tsx";
import { readTokens } from "../lib/tokens.ts";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { auditor, oidcUser } from "../testing/samples.ts";
import { failure, page, transport } from "../testing/transport.ts";
import { ReadOnly } from "../ui/base/read-only.ts";
import { UserSettingsPage } from "./user-settings-page.tsx";
import { lazyPage } from "../lib/lazy-page.ts";

beforeEach(signIn);

const phone: TotpAuthenticator = {
  id: `totp-${"A".repeat(26)}`,
  name: "Phone",
  createdAt: "2026-11-01T09:00:00Z",
  lastUsedAt: "2026-11-15T08:00:00Z",
};
const laptop: TotpAuthenticator = {
  ...phone,
  id: `totp-${"B".repeat(26)}`,
  name: "Laptop",
  lastUsedAt: null,
};

const settings = () =>
  transport()
    .on(whoami, () => auditor)
    .on(listTotpAuthenticators, () => [phone, laptop])
    .on(getTotpAuthenticator, () => phone)
    .on(getRecoveryCodes, () => ({ unusedCount: 10, createdAt: phone.createdAt }))
    .on(listSessions, () => [])
    .on(listMembers, () => page([]));
/** As an auditor, who can still change their own account. */
const routes = [
  {
    element: (
      <ReadOnly value>
        <Outlet />
      </ReadOnly>
    ),
    errorElement: <RouteError />,
    children: [
      {
        path: "/settings/user",
        Component: UserSettingsPage,
        children: [
          {
            path: "totps/add",
            lazy: lazyPage(
              async () => (await import("./authenticator-add-dialog.tsx")).AuthenticatorAddDialog,
            ),
          },
          {
            path: "totps/:totpID/edit",
            lazy: lazyPage(
              async () => (await import("./authenticator-edit-dialog.tsx")).AuthenticatorEditDialog,
            ),
          },
          {
            path: "totps/:totpID/delete",
            lazy: lazyPage(
              async () => (await import("./authenticator-delete-dialog.tsx")).AuthenticatorDeleteDialog,
            ),
          },
        ],
      },
      {
        path: "/auth/mfa/renew",
        lazy: lazyPage(async () => (await import("../auth/mfa-renew-page.tsx")).MfaRenewPage),
      },
    ],
  },
];
const open = (at = "/settings/user") => renderRoutes(routes, at);
const table = async () => within(await screen.findByRole("table", { name: "Authenticators" }));

it("lists authenticators with their last use and their actions [S2.18] [S7.17]", async () => {
  settings();
  const { user: person, path } = open();
  const row = within((await (await table()).findByText("Laptop")).closest("tr")!);
  expect(row.getByText("Never")).toBeDefined();
  expect(document.title).toBe("User settings - Lightkeeper");
  const add = screen.getByRole("link", { name: "Add authenticator" });
  expect(add.getAttribute("href")).toBe("/settings/user/totps/add");
  await person.click(screen.getByRole("button", { name: "Actions for Phone" }));
  await person.click(await screen.findByRole("menuitem", { name: "Edit" }));
  await vi.waitFor(() => expect(path()).toBe(`/settings/user/totps/${phone.id}/edit`));
});

it("isn't available to people who use single sign-on [S2.18] [S6.1]", async () => {
  transport().on(whoami, () => oidcUser);
  renderRoutes(everyRoute, "/settings/user");
  expect(await screen.findByRole("heading", { name: "Nothing here (404)" })).toBeDefined();
});

describe("adding an authenticator", () => {
  const key = { totpToken: "setup", secret: "ABCDEFGH", url: "otpauth://totp/x?secret=ABCDEFGH" };

  async function comeToCode() {
    const { user: person, path } = open("/settings/user/totps/add");
    const dialog = within(await screen.findByRole("dialog", { name: "Add authenticator" }));
    expect(document.title).toBe("Add authenticator - Lightkeeper");
    await person.type(dialog.getByLabelText("Name"), " Tablet {Enter}");
    return { person, path, code: await screen.findByLabelText("Code from your authenticator app") };
  }

  it("asks for a name, shows the key, and saves the new auth token [S7.19] [S7.20]", async () => {
    const api = settings()
      .on(createTotpAuthenticator, () => key)
      .on(verifyTotpAuthenticator, () => ({
        authToken: "newer",
        authenticator: { ...phone, name: "Tablet" },
      }));
    const { person, path, code } = await comeToCode();
    expect(screen.getByText("ABCD EFGH")).toBeDefined();
    await person.type(code, "123456");
    expect(await screen.findByText("Authenticator Tablet added")).toBeDefined();
    await vi.waitFor(() => expect(document.title).toBe("User settings - Lightkeeper"));
    expect(path()).toBe("/settings/user");
    expect(api.calls(createTotpAuthenticator)[0]?.body).toEqual({ name: "Tablet" });
    expect(api.calls(verifyTotpAuthenticator)[0]?.body).toEqual({ totpToken: "setup", code: "123456" });
    expect(readTokens().authToken).toBe("newer");
  });

  it("shows what is wrong with a code, and that there are too many authenticators [S5.7] [S8.16]", async () => {
    const api = settings()
      .on(createTotpAuthenticator, () => key)
      .on(verifyTotpAuthenticator, () => {
        throw failure("ERR_INVALID_TOTP_CODE", { path: "code" });
      });
    const { person, code } = await comeToCode();
    await person.type(code, "123456");
    expect(await screen.findByText("The code was not valid — perhaps it expired?")).toBeDefined();
    api.on(verifyTotpAuthenticator, () => {
      throw failure("ERR_LIMIT_EXCEEDED", { extra: { limit: 10 } });
    });
    await person.clear(code);
    await person.type(code, "654321");
    expect(
      await screen.findByText(
        "You have already created the maximum number of authenticators for this organization (10).",
      ),
    ).toBeDefined();
  });
});

describe("with an old second factor", () => {
  const key = { totpToken: "setup", secret: "ABCDEFGH", url: "otpauth://totp/x?secret=ABCDEFGH" };
  const reject = () => {
    throw failure("ERR_2FA_RENEWAL_REQUIRED");
  };
  const withRenewal = () => settings().on(logInWithTotp, () => ({ authToken: "recent" }));
  const renew = async (person: UserEvent) =>
    person.type(await screen.findByLabelText("Code from your authenticator app"), "123456");

  it.each(["createTotpAuthenticator", "verifyTotpAuthenticator"])(
    "adding one asks for the code when %s is rejected, and returns to the name as it was entered",
    async (rejected) => {
      const api = withRenewal().on(createTotpAuthenticator, () => key);
      api.on(
        rejected === "createTotpAuthenticator" ? createTotpAuthenticator : verifyTotpAuthenticator,
        reject,
      );
      const { user: person, path } = open("/settings/user/totps/add");
      const dialog = within(await screen.findByRole("dialog", { name: "Add authenticator" }));
      await person.type(dialog.getByLabelText("Name"), "Tablet{Enter}");
      if (rejected === "verifyTotpAuthenticator")
        await person.type(await screen.findByLabelText("Code from your authenticator app"), "123456");
      await renew(person);
      const back = within(await screen.findByRole("dialog", { name: "Add authenticator" }));
      expect(back.getByLabelText<HTMLInputElement>("Name").value).toBe("Tablet");
      expect(path()).toBe("/settings/user/totps/add");
      expect(readTokens().authToken).toBe("recent");
    },
  );

  it("deleting an authenticator asks for the code and returns to the confirmation", async () => {
    const api = withRenewal().on(deleteTotpAuthenticator, reject);
    const { user: person, path } = open(`/settings/user/totps/${phone.id}/delete`);
    const confirm = () => screen.findByRole("button", { name: "Delete authenticator" });
    await person.click(await confirm());
    await renew(person);
    expect(await screen.findByRole("alertdialog", { name: "Delete authenticator Phone?" })).toBeDefined();
    expect(path()).toBe(`/settings/user/totps/${phone.id}/delete`);
    api.on(deleteTotpAuthenticator, () => ({}));
    await person.click(await confirm());
    expect(await screen.findByText("Authenticator Phone deleted")).toBeDefined();
  });
});

it("renames an authenticator [S7.18]", async () => {
  const api = settings().on(updateTotpAuthenticator, ({ body }) => ({ ...phone, ...body }));
  const { user: person, path } = open(`/settings/user/totps/${phone.id}/edit`);
  const name = within(await screen.findByRole("dialog", { name: "Edit Phone" })).getByLabelText("Name");
  expect(document.title).toBe("Edit Phone - Lightkeeper");
  await person.clear(name);
  await person.keyboard("{Enter}");
  expect(await screen.findByText("Enter a name (up to 50 characters).")).toBeDefined();
  await person.type(name, "Old phone{Enter}");
  expect(await screen.findByText("Authenticator Old phone saved")).toBeDefined();
  expect(path()).toBe("/settings/user");
  expect(api.calls(updateTotpAuthenticator)).toMatchObject([{ body: { name: "Old phone" } }]);
});

it("deletes an authenticator, but not the only one [S7.18]", async () => {
  const api = settings().on(deleteTotpAuthenticator, () => {
    throw failure("ERR_INVALID_VALUE");
  });
  const { user: person, path } = open(`/settings/user/totps/${phone.id}/delete`);
  const dialog = within(await screen.findByRole("alertdialog", { name: "Delete authenticator Phone?" }));
  await person.click(dialog.getByRole("button", { name: "Delete authenticator" }));
  expect((await dialog.findByRole("alert")).textContent).toBe(
    "This is your only authenticator. Add another one before you delete it.",
  );
  api.on(deleteTotpAuthenticator, () => ({}));
  await person.click(dialog.getByRole("button", { name: "Delete authenticator" }));
  expect(await screen.findByText("Authenticator Phone deleted")).toBeDefined();
  expect(path()).toBe("/settings/user");
});

it("shows the 404 page for one that doesn't exist [S8.1]", async () => {
  const noise = vi.spyOn(console, "error").mockImplementation(() => undefined);
  settings().on(getTotpAuthenticator, () => {
    throw failure("ERR_NOT_FOUND");
  });
  open("/settings/user/totps/totp-gone/edit");
  expect(await screen.findByRole("heading", { name: "Nothing here (404)" })).toBeDefined();
  noise.mockRestore();
});
