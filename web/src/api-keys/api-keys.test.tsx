import {
  createApiKey,
  deleteApiKey,
  getApiKey,
  listApiKeys,
  logInWithTotp,
  rotateApiKey,
  updateApiKey,
  whoami,
} from "@lightkeeper/contract";
import { screen, within } from "@testing-library/react";
import { Outlet } from "react-router";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { routes as everyRoute } from "../app/router.tsx";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { auditor, key } from "../testing/samples.ts";
import { failure, page, transport } from "../testing/transport.ts";
import { ReadOnly } from "../ui/base/read-only.ts";
import { lazyPage } from "../lib/lazy-page.ts";

beforeEach(signIn);

const token = `${key.id}-SECRET`;
const soon = new Date(Date.now() + 5 * 86_400_000).toISOString();
const keys = () =>
  transport()
    .on(listApiKeys, () =>
      page([
        key,
        {
          ...key,
          id: `lkkey-${"B".repeat(26)}`,
          name: "Old",
          expiresAt: "2020-01-01T00:00:00Z",
          createdBy: null,
        },
      ]),
    )
    .on(getApiKey, () => key);
const routesFor = (isReadOnly: boolean) => [
  {
    element: (
      <ReadOnly value={isReadOnly}>
        <Outlet />
      </ReadOnly>
    ),
    children: [
      {
        path: "/settings/api-keys",
        lazy: lazyPage(async () => (await import("./api-keys-page.tsx")).ApiKeysPage),
      },
      {
        path: "/settings/api-keys/add",
        lazy: lazyPage(async () => (await import("./api-key-add-page.tsx")).ApiKeyAddPage),
      },
      {
        path: "/settings/api-keys/:apiKeyID",
        lazy: lazyPage(async () => (await import("./api-key-edit-page.tsx")).ApiKeyEditPage),
      },
      {
        path: "/auth/mfa/renew",
        lazy: lazyPage(async () => (await import("../auth/mfa-renew-page.tsx")).MfaRenewPage),
      },
    ],
  },
];
const open = (at: string, { isReadOnly = false } = {}) => renderRoutes(routesFor(isReadOnly), at);
const at = `/settings/api-keys/${key.id}`;

it("lists keys with their scopes, last use and expiry [S2.21]", async () => {
  keys();
  open("/settings/api-keys");
  const row = within((await screen.findByRole("link", { name: "Terraform" })).closest("tr")!);
  expect(row.getByText("Hosts: list, read")).toBeDefined();
  expect(row.getAllByText("Never")).toHaveLength(2);
  expect(row.getByText("ada@example.com")).toBeDefined();
  expect(
    within(screen.getByRole("link", { name: "Old" }).closest("tr")!).getByText(/^Expired/),
  ).toBeDefined();
  expect(screen.getByText("Not recorded")).toBeDefined();
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("API keys · 2");
  expect(document.title).toBe("API keys - Lightkeeper");
});

it("shows what to do when there are no keys", async () => {
  keys().on(listApiKeys, () => page([]));
  open("/settings/api-keys");
  expect(await screen.findByRole("heading", { name: "No API keys yet" })).toBeDefined();
});

describe("adding a key", () => {
  const submit = () => screen.getByRole("button", { name: "Add API key" });
  const scope = (noun: string, verb: string) =>
    within(screen.getByRole("group", { name: noun })).getByRole<HTMLInputElement>("checkbox", { name: verb });

  it("chooses scopes by preset and one by one, and shows the token once", async () => {
    const api = keys().on(createApiKey, ({ body }) => ({ ...key, ...body, expiresAt: null, token }));
    const { user: person, path } = open("/settings/api-keys/add");
    await person.type(await screen.findByLabelText("Name"), " Backup ");
    expect(document.title).toBe("Add API key - Lightkeeper");
    await person.click(screen.getByText("Hosts only"));
    expect(scope("Hosts", "Debug").checked).toBe(true);
    await person.click(screen.getByRole("button", { name: "Clear all scopes of Hosts" }));
    await person.click(scope("Hosts", "List"));
    await person.click(scope("Audit log", "List"));
    await person.selectOptions(screen.getByLabelText("Expires"), "Never");
    await person.click(submit());
    expect(await screen.findByText(token)).toBeDefined();
    expect(
      screen.getByText(`curl -H "Authorization: Bearer ${token}" ${location.origin}/v2/hosts`),
    ).toBeDefined();
    expect(api.calls(createApiKey)[0]?.body).toEqual({
      name: "Backup",
      scopes: ["hosts:list", "audit-logs:list"],
      expiresAt: null,
    });
    await person.click(screen.getByRole("link", { name: "API keys", current: false }));
    const question = within(await screen.findByRole("alertdialog", { name: "Leave without the token?" }));
    await person.click(question.getByRole("button", { name: "Cancel" }));
    await person.click(screen.getByRole("button", { name: "I’ve saved it" }));
    await vi.waitFor(() => expect(path()).toBe("/settings/api-keys"));
  });

  it("requires a name and a scope before the request, and a date in the future", async () => {
    keys().on(createApiKey, () => {
      throw failure("ERR_INVALID_VALUE", { path: "expiresAt" });
    });
    const { user: person } = open("/settings/api-keys/add");
    await screen.findByLabelText("Name");
    await person.click(submit());
    expect(await screen.findByText("Enter a name (up to 50 characters).")).toBeDefined();
    expect(screen.getByText("Choose at least one scope.")).toBeDefined();
    await person.type(screen.getByLabelText("Name"), "Backup");
    await person.click(screen.getByText("Read only"));
    await person.selectOptions(screen.getByLabelText("Expires"), "On a date…");
    await person.click(submit());
    expect(await screen.findByText("Choose a date.")).toBeDefined();
    await person.type(screen.getByLabelText("Date"), "2026-01-01");
    await person.click(submit());
    expect(await screen.findByText("Choose a date in the future.")).toBeDefined();
  });

  it("shows that the limit is reached", async () => {
    keys().on(createApiKey, () => {
      throw failure("ERR_LIMIT_EXCEEDED", { extra: { limit: 500 } });
    });
    const { user: person } = open("/settings/api-keys/add");
    await person.type(await screen.findByLabelText("Name"), "Backup");
    await person.click(screen.getByText("Read only"));
    await person.click(submit());
    expect((await screen.findByRole("alert")).textContent).toBe(
      "Your organization has the maximum number of API keys (500). Delete one you no longer use, then try again.",
    );
  });

  it("asks for an expired second factor, and restores the form afterwards", async () => {
    keys()
      .on(createApiKey, () => {
        throw failure("ERR_2FA_RENEWAL_REQUIRED");
      })
      .on(logInWithTotp, () => ({ authToken: "fresh" }));
    const { user: person, path } = open("/settings/api-keys/add");
    await person.type(await screen.findByLabelText("Name"), "Backup");
    await person.click(screen.getByText("Read only"));
    await person.click(submit());
    await person.type(await screen.findByLabelText("Code from your authenticator app"), "123456");
    expect((await screen.findByLabelText<HTMLInputElement>("Name")).value).toBe("Backup");
    expect(scope("Networks", "Read").checked).toBe(true);
    expect(scope("Networks", "Create").checked).toBe(false);
    expect(path()).toBe("/settings/api-keys/add");
  });
});

it("asks for the second factor before changing a key, and keeps the typed values", async () => {
  const api = keys()
    .on(updateApiKey, () => {
      throw failure("ERR_2FA_RENEWAL_REQUIRED");
    })
    .on(logInWithTotp, () => ({ authToken: "recent" }));
  const { user: person, path } = open(at);
  const name = () => screen.findByLabelText<HTMLInputElement>("Name");
  const save = () => person.click(screen.getByRole("button", { name: "Save" }));
  await person.clear(await name());
  await person.type(await name(), "OpenTofu");
  await save();
  await person.type(await screen.findByLabelText("Code from your authenticator app"), "123456");
  expect((await name()).value).toBe("OpenTofu");
  expect(path()).toBe(at);
  api.on(updateApiKey, ({ body }) => ({ ...key, name: body.name }));
  await save();
  expect(await screen.findByText("API key OpenTofu saved")).toBeDefined();
});

it("changes a key without changing its expiry, not even by a second", async () => {
  const api = keys()
    .on(getApiKey, () => ({ ...key, expiresAt: soon }))
    .on(updateApiKey, ({ body }) => ({ ...key, name: body.name }));
  const { user: person, path } = open(at);
  const name = await screen.findByLabelText<HTMLInputElement>("Name");
  expect(document.title).toBe("Edit Terraform - Lightkeeper");
  expect(screen.getByRole("button", { name: "Copy API key ID" })).toBeDefined();
  expect(screen.getByText("Created by").nextElementSibling?.textContent).toBe("ada@example.com");
  await person.clear(name);
  await person.type(name, "OpenTofu");
  await person.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("API key OpenTofu saved")).toBeDefined();
  await vi.waitFor(() => expect(path()).toBe("/settings/api-keys"));
  expect(api.calls(updateApiKey)[0]?.body).toEqual({ name: "OpenTofu", scopes: key.scopes, expiresAt: soon });
});

/** The dialogs without the form beneath them. */
const openDialog = (action: "rotate" | "delete") =>
  renderRoutes(
    [
      {
        path: "/settings/api-keys/:apiKeyID",
        element: <Outlet context={key} />,
        children: [
          {
            path: "rotate",
            lazy: lazyPage(async () => (await import("./rotate-api-key-dialog.tsx")).RotateApiKeyDialog),
          },
          {
            path: "delete",
            lazy: lazyPage(async () => (await import("./delete-api-key-dialog.tsx")).DeleteApiKeyDialog),
          },
        ],
      },
      { path: "*", element: null },
    ],
    `${at}/${action}`,
  );

it("rotates a key with a chosen overlap, and shows the new token until it is saved", async () => {
  const api = keys().on(rotateApiKey, () => ({ ...key, token }));
  const { user: person, path } = openDialog("rotate");
  const dialog = within(await screen.findByRole("dialog", { name: "Rotate Terraform" }));
  expect(document.title).toBe("Rotate Terraform - Lightkeeper");
  await person.selectOptions(dialog.getByLabelText("Old token expires"), "After 7 days");
  await person.click(dialog.getByRole("button", { name: "Rotate" }));
  expect(await screen.findByText(token)).toBeDefined();
  expect(api.calls(rotateApiKey)[0]?.body).toEqual({ overlapSeconds: 604_800 });
  await person.keyboard("{Escape}");
  const question = within(await screen.findByRole("alertdialog", { name: "Leave without the token?" }));
  await person.click(question.getByRole("button", { name: "Cancel" }));
  expect(screen.getByText(token)).toBeDefined();
  await person.click(screen.getByRole("button", { name: "I’ve saved it" }));
  await vi.waitFor(() => expect(path()).toBe(at));
});

it("deletes a key after a confirmation that shows its last use", async () => {
  const api = keys().on(deleteApiKey, () => ({}));
  const { user: person, path } = openDialog("delete");
  const dialog = within(await screen.findByRole("alertdialog", { name: "Delete API key Terraform?" }));
  expect(dialog.getByText(/fail from now on\. The key has never been used\./)).toBeDefined();
  await person.click(dialog.getByRole("button", { name: "Delete API key" }));
  expect(await screen.findByText("API key Terraform deleted")).toBeDefined();
  await vi.waitFor(() => expect(path()).toBe("/settings/api-keys"));
  expect(api.calls(deleteApiKey)[0]?.params).toEqual({ apiKeyID: key.id });
});

describe("for an auditor", () => {
  it("the list is read-only", async () => {
    keys();
    open("/settings/api-keys", { isReadOnly: true });
    await screen.findByRole("link", { name: "Terraform" });
    expect(screen.queryByRole("link", { name: "Add API key" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Actions for Terraform" })).toBeNull();
  });

  it("the form is read-only", async () => {
    keys();
    open(at, { isReadOnly: true });
    expect(await screen.findByText(/You have read-only access to this API key/)).toBeDefined();
    expect(screen.getByLabelText("Name").matches(":disabled")).toBe(true);
    expect(screen.queryByRole("button", { name: "Save" })).toBeNull();
    expect(screen.queryByRole("link", { name: "Delete API key…" })).toBeNull();
  });

  it("the dialogs explain that access is read-only", async () => {
    keys().on(whoami, () => auditor);
    renderRoutes(everyRoute, `${at}/rotate`);
    expect(await screen.findByText(/Auditors can view everything but can’t make changes/)).toBeDefined();
  });
});
