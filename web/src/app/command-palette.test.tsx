import { getFeatureFlags, listHostsV2, signOut } from "@lightkeeper/contract";
import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { invalidateNoun } from "../lib/query.ts";
import { readTokens } from "../lib/tokens.ts";
import {
  expectClosed,
  openPalette,
  options,
  server,
  showLayout,
  signInBeforeEach,
} from "../testing/command-palette.tsx";
import { auditor, host, network } from "../testing/samples.ts";
import { failure, page } from "../testing/transport.ts";

signInBeforeEach();

it("opens with Ctrl+K anywhere, closes with Escape, and restores the focus", async () => {
  const { user: person } = showLayout();
  const search = await screen.findByLabelText("Search networks");
  await person.click(search);
  await person.keyboard("{Control>}k{/Control}");
  await screen.findByRole("combobox");
  await person.keyboard("{Escape}");
  await expectClosed();
  expect(document.activeElement).toBe(search);
});

it("opens with its button", async () => {
  const { user: person } = showLayout();
  await person.click(screen.getAllByRole("button", { name: "Search and commands" })[0]!);
  expect(await screen.findByRole("combobox")).toBeDefined();
});

it("opens a page by a part of its name and Enter", async () => {
  const { user: person, path } = await openPalette("/elsewhere");
  await person.keyboard("netw");
  await waitFor(() => expect(options()[0]).toContain("Networks"));
  await person.keyboard("{Enter}");
  await expectClosed();
  expect(path()).toBe("/settings/networks");
});

describe("blocking a host", () => {
  it("asks for the host, and opens the confirmation", async () => {
    const { user: person, dialog, path } = await openPalette();
    await person.keyboard("block host");
    await person.click(await dialog.findByRole("option", { name: "Block host…" }));
    await waitFor(() => expect(dialog.getByRole<HTMLInputElement>("combobox").value).toBe("Block "));
    expect(await dialog.findByRole("option", { name: /^Block web-1.*Production/ })).toBeDefined();
    expect(dialog.queryByRole("option", { name: "Block host…" })).toBeNull();
    await person.click(dialog.getByRole("combobox"));
    await person.keyboard("web");
    await waitFor(() =>
      expect(server.calls(listHostsV2).at(-1)?.query).toMatchObject({
        "filter.search": "web",
        "filter.isBlocked": "false",
      }),
    );
    await person.click(await dialog.findByRole("option", { name: /^Block web-1/ }));
    await waitFor(() => expect(path()).toBe(`/hosts/${host.id}/block`));
  });

  it("is not offered to an auditor", async () => {
    const { user: person, dialog } = await openPalette("/settings/networks", auditor);
    await person.keyboard("block web");
    await waitFor(() => expect(server.calls(listHostsV2).at(-1)?.query["filter.search"]).toBe("block web"));
    expect(dialog.queryByRole("option", { name: /^Block/ })).toBeNull();
  });

  it("is not offered for a host that is blocked", async () => {
    const { user: person, dialog } = await openPalette();
    const blocked = { ...host, id: "host-blocked", name: "web-2", isBlocked: true };
    server.on(listHostsV2, () => page([blocked, host]));
    await person.keyboard("block web");
    expect(await dialog.findByRole("option", { name: /^Block web-1/ })).toBeDefined();
    expect(dialog.queryByRole("option", { name: /^Block web-2/ })).toBeNull();
  });
});

it("rotates the CA of a network by its name, where CAs are enabled", async () => {
  const { user: person, dialog } = await openPalette();
  server.on(getFeatureFlags, () => ({ LIST_CERT_AUTHORITIES: true }));
  await act(() => invalidateNoun("feature-flags"));
  await person.keyboard("rotate prod");
  const option = await dialog.findByRole("option", { name: /^Rotate the CA of Production/ });
  expect(option.getAttribute("href")).toBe(`/certificate-authorities/${network.id}/rotate`);
});

it("exports the hosts without leaving the page", async () => {
  const { user: person, dialog, path } = await openPalette();
  const downloads = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => {});
  vi.stubGlobal(
    "URL",
    Object.assign(URL, { createObjectURL: () => "blob:hosts", revokeObjectURL: () => {} }),
  );
  await person.keyboard("export hosts");
  await person.click(await dialog.findByRole("option", { name: "Export hosts" }));
  expect(await screen.findByText("1 host exported")).toBeDefined();
  expect(downloads).toHaveBeenCalledOnce();
  expect(path()).toBe("/settings/networks");
  downloads.mockRestore();
});

it("runs a command", async () => {
  const { user: person, dialog } = await openPalette();
  await person.keyboard("log out");
  await dialog.findByRole("option", { name: /^Log out/ });
  await person.keyboard("{Enter}");
  await waitFor(() => expect(readTokens().userToken).toBeUndefined());
  expect(server.calls(signOut)).toHaveLength(1);
});

it("keeps offering pages and actions while the server is unreachable", async () => {
  const { user: person, dialog } = await openPalette();
  server.on(listHostsV2, () => {
    throw failure("ERR_UNAVAILABLE");
  });
  await person.keyboard("net");
  expect(await dialog.findByText("Request failed: temporarily unavailable")).toBeDefined();
  expect(dialog.getByRole("option", { name: /^Networks/ })).toBeDefined();
});

it("is listed among the shortcuts, and doesn't react to its letter alone", async () => {
  const { user: person } = showLayout();
  await person.keyboard("?");
  const dialog = within(await screen.findByRole("dialog", { name: "Keyboard shortcuts" }));
  expect(dialog.getByText("Search and run commands")).toBeDefined();
  expect(dialog.getByText("Ctrl K")).toBeDefined();
});
