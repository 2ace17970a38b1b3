import {
  deleteOrganization,
  getBilling,
  getFeatureFlags,
  signOut,
  updateOrganization,
  whoami,
} from "@lightkeeper/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { routes } from "../app/router.tsx";
import { takeReturnTo } from "../lib/session.ts";
import { readTokens } from "../lib/tokens.ts";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { billing, organization, user } from "../testing/samples.ts";
import { failure, transport } from "../testing/transport.ts";

beforeEach(signIn);

const served = () =>
  transport()
    .on(whoami, () => user)
    .on(getFeatureFlags, () => ({}))
    .on(getBilling, () => ({ ...billing, provider: "builtin" as const }));
const open = (at = "/settings/billing") => renderRoutes(routes, at);

describe("renaming the organization", () => {
  it("shows the new name at once", async () => {
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
    expect((await dialog.findByRole("alert")).textContent).toBe("Give it a name of 1 to 255 characters.");
    await person.type(name, "Harbour{Enter}");
    const card = within(await screen.findByRole("region", { name: "Organization" }));
    expect(await card.findByText("Harbour")).toBeDefined();
    expect(path()).toBe("/settings/billing");
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

  it("wants its name, and leaves for good [S7.16] [S2.1]", async () => {
    const api = served()
      .on(deleteOrganization, () => ({}))
      .on(signOut, () => {
        throw failure("ERR_UNAUTHORIZED");
      });
    const { user: person, dialog, confirm, typed, path } = await openDialog();
    await person.type(typed, "example.org");
    await confirm();
    expect((await dialog.findByRole("alert")).textContent).toBe("This is not its name.");
    expect(api.calls(deleteOrganization)).toEqual([]);
    await person.clear(typed);
    await person.type(typed, "example.com{Enter}");
    expect(await screen.findByRole("heading", { name: "Your account is deleted" })).toBeDefined();
    expect(path()).toBe("/deleted-account");
    await waitFor(() => expect(readTokens()).toEqual({}));
    expect(path()).toBe("/deleted-account");
    expect(api.calls(deleteOrganization)[0]?.params).toEqual({ organizationID: organization.id });
  });

  it("says that a paid plan has to go first [S8.15]", async () => {
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

  it("comes back filled after the second factor was given again", async () => {
    served().on(deleteOrganization, () => {
      throw failure("ERR_2FA_RENEWAL_REQUIRED");
    });
    const { user: person, confirm, typed, path, router } = await openDialog();
    await person.type(typed, "example.com");
    await confirm();
    await waitFor(() => expect(path()).toBe("/auth/mfa/renew"));
    const back = takeReturnTo();
    expect(back).toBe("/settings/billing/delete-organization");
    await router.navigate(back);
    expect((await screen.findByLabelText<HTMLInputElement>(/to confirm$/)).value).toBe("example.com");
  });
});
