import {
  createRecoveryCodes,
  getRecoveryCodes,
  listSessions,
  listTotpAuthenticators,
  logInWithTotp,
  whoami,
} from "@lightkeeper/contract";
import { screen, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { lazyPage } from "../lib/lazy-page.ts";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { auditor } from "../testing/samples.ts";
import { failure, transport } from "../testing/transport.ts";
import { UserSettingsPage } from "./user-settings-page.tsx";

beforeEach(signIn);

const codes = ["AAAA-BBBB-CCCC-DDDD", "AAAA-BBBB-CCCC-EEEE"];

const settings = (unusedCount: number, createdAt: string | null = "2026-11-01T09:00:00Z") =>
  transport()
    .on(whoami, () => auditor)
    .on(listTotpAuthenticators, () => [])
    .on(listSessions, () => [])
    .on(getRecoveryCodes, () => ({ unusedCount, createdAt }));

const routes = [
  {
    path: "/settings/user",
    Component: UserSettingsPage,
    children: [
      {
        path: "recovery-codes",
        lazy: lazyPage(async () => (await import("./recovery-codes-dialog.tsx")).RecoveryCodesDialog),
      },
    ],
  },
  {
    path: "/auth/mfa/renew",
    lazy: lazyPage(async () => (await import("../auth/mfa-renew-page.tsx")).MfaRenewPage),
  },
];
const open = (at = "/settings/user") => renderRoutes(routes, at);
const section = async () => within(await screen.findByRole("region", { name: /^Recovery codes/ }));

it("shows how many codes are unused, and where to generate new ones", async () => {
  settings(7);
  open();
  const codesSection = await section();
  expect(await codesSection.findByText(/7 of 10 unused/)).toBeDefined();
  const link = codesSection.getByRole("link", { name: "Generate new recovery codes" });
  expect(link.getAttribute("href")).toBe("/settings/user/recovery-codes");
  expect(codesSection.queryByRole("status")).toBeNull();
});

it.each([
  [3, "Only 3 unused recovery codes are left. Generate new ones."],
  [1, "Only 1 unused recovery code is left. Generate new ones."],
  [0, "All recovery codes have been used. Generate new ones."],
])("warns when %i codes are left", async (unusedCount, warning) => {
  settings(unusedCount);
  open();
  expect((await (await section()).findByRole("status")).textContent).toBe(warning);
});

it("warns when codes were never generated", async () => {
  settings(0, null);
  open();
  expect((await (await section()).findByRole("status")).textContent).toMatch(/^You have no recovery codes\./);
});

it("offers a retry when the number can't be loaded", async () => {
  const api = settings(7).on(getRecoveryCodes, () => {
    throw failure("ERR_INTERNAL_SERVER_ERROR");
  });
  const { user } = open();
  const retry = await (await section()).findByRole("button", { name: "Try again" });
  api.on(getRecoveryCodes, () => ({ unusedCount: 9, createdAt: "2026-11-01T09:00:00Z" }));
  await user.click(retry);
  expect(await (await section()).findByText(/9 of 10 unused/)).toBeDefined();
});

it("generates new codes after a confirmation, and closes once they are saved", async () => {
  const api = settings(2).on(createRecoveryCodes, () => ({ codes }));
  const { user, path } = open("/settings/user/recovery-codes");
  const confirm = await screen.findByRole("alertdialog", { name: "Generate new recovery codes?" });
  expect(document.title).toBe("Generate new recovery codes - Lightkeeper");
  expect(api.calls(createRecoveryCodes)).toEqual([]);
  await user.click(within(confirm).getByRole("button", { name: "Generate new recovery codes" }));
  const dialog = await screen.findByRole("alertdialog", { name: "Your new recovery codes" });
  for (const code of codes) expect(within(dialog).getByText(code)).toBeDefined();
  await user.keyboard("{Escape}");
  const leave = await screen.findByRole("alertdialog", { name: "Leave without the recovery codes?" });
  await user.click(within(leave).getByRole("button", { name: "Cancel" }));
  await user.click(within(dialog).getByRole("button", { name: "I’ve saved them" }));
  await vi.waitFor(() => expect(path()).toBe("/settings/user"));
  expect(api.calls(createRecoveryCodes)).toHaveLength(1);
});

it("downloads the codes as a text file", async () => {
  settings(2).on(createRecoveryCodes, () => ({ codes }));
  const { user } = open("/settings/user/recovery-codes");
  await user.click(await screen.findByRole("button", { name: "Generate new recovery codes" }));
  let content: Blob | undefined;
  vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => {
    content = blob as Blob;
    return "blob:codes";
  });
  await user.click(await screen.findByRole("button", { name: "Download recovery codes" }));
  expect(await content?.text()).toContain(codes.join("\n"));
});

it("asks for a new second factor if it is too old, and returns to the confirmation", async () => {
  settings(2)
    .on(logInWithTotp, () => ({ authToken: "recent" }))
    .on(createRecoveryCodes, () => {
      throw failure("ERR_2FA_RENEWAL_REQUIRED");
    });
  const { user, path } = open("/settings/user/recovery-codes");
  await user.click(await screen.findByRole("button", { name: "Generate new recovery codes" }));
  await user.type(await screen.findByLabelText("Code from your authenticator app"), "123456");
  expect(await screen.findByRole("alertdialog", { name: "Generate new recovery codes?" })).toBeDefined();
  expect(path()).toBe("/settings/user/recovery-codes");
});
