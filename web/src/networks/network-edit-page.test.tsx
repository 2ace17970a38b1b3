import { deleteNetwork, getNetwork, updateNetwork, type Network } from "@lightkeeper/contract";
import { act, screen, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { invalidateNoun } from "../lib/query.ts";
import { renderPage, signIn } from "../testing/render.tsx";
import { network } from "../testing/samples.ts";
import { failure, Failure, transport } from "../testing/transport.ts";
import { NetworkEditPage } from "./network-edit-page.tsx";

beforeEach(signIn);

const open = () =>
  renderPage(<NetworkEditPage />, {
    route: "/settings/networks/:networkID",
    at: `/settings/networks/${network.id}`,
  });
const nameInput = () => screen.findByLabelText<HTMLInputElement>("Name");
const existing = () => transport().on(getNetwork, () => network);

it("shows the network and its details to copy, with the CIDR read-only [S2.20] [S7.11]", async () => {
  const api = existing();
  open();
  expect((await nameInput()).value).toBe("Production");
  expect(document.title).toBe("Edit Production - Lightkeeper");
  expect(screen.queryByLabelText(/^CIDR/)).toBeNull();
  for (const fact of ["Network ID", "CIDR", "Signing CA ID"]) {
    expect(screen.getByRole("button", { name: `Copy ${fact}` })).toBeDefined();
  }
  expect(screen.queryByRole("button", { name: "Copy Created" })).toBeNull();
  for (const value of [network.id, network.cidr, network.signingCAID, "0 hosts"]) {
    expect(screen.getByText(value)).toBeDefined();
  }
  expect(api.calls(getNetwork)[0]?.params).toEqual({ networkID: network.id });
});

it("saves the values and goes to the list without asking [S7.13]", async () => {
  const api = existing().on(updateNetwork, ({ body }) => ({ ...network, name: body.name }));
  const { user, path } = open();
  await user.clear(await nameInput());
  await user.type(await nameInput(), "Live");
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("Network Live saved")).toBeDefined();
  await vi.waitFor(() => expect(path()).toBe("/settings/networks"));
  expect(api.calls(updateNetwork)[0]).toMatchObject({
    params: { networkID: network.id },
    body: { name: "Live", description: "", lighthousesAsRelays: false },
  });
});

it("shows a duplicate name at its field [S5.2]", async () => {
  existing().on(updateNetwork, () => {
    throw failure("ERR_DUPLICATE_VALUE", { path: "name" });
  });
  const { user } = open();
  await user.type(await nameInput(), "2{Enter}");
  expect((await screen.findByRole("alert")).textContent).toBe(
    "You already have a network with this name, try another",
  );
  expect((await nameInput()).value).toBe("Production2");
});

it("shows the 404 page for a network that does not exist [S8.1]", async () => {
  const noise = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const api = transport().on(getNetwork, () => {
    throw failure("ERR_NOT_FOUND");
  });
  open();
  expect(await screen.findByText("The page failed")).toBeDefined();
  expect(api.calls(getNetwork)).toHaveLength(1);
  noise.mockRestore();
});

it("shows what failed and retries", async () => {
  const api = transport().on(getNetwork, () => {
    throw failure("ERR_UNAVAILABLE", {}, "request-3");
  });
  const { user } = open();
  expect((await screen.findByRole("alert")).textContent).toContain("request-3");
  api.on(getNetwork, () => network);
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect((await nameInput()).value).toBe("Production");
});

async function changeMeanwhile(changed: Network, api = existing()) {
  const rendered = open();
  await nameInput();
  return {
    ...rendered,
    change: () => {
      api.on(getNetwork, () => changed);
      return act(() => invalidateNoun("networks"));
    },
  };
}

it("shows the new values of the server while nothing was typed", async () => {
  const { change } = await changeMeanwhile({ ...network, name: "Renamed" });
  await change();
  await vi.waitFor(async () => expect((await nameInput()).value).toBe("Renamed"));
  expect(screen.queryByText(/was changed by someone else/)).toBeNull();
});

it("keeps typed values when the network changes, says so and loads the new values on request", async () => {
  const { change, user } = await changeMeanwhile({ ...network, description: "By someone else" });
  await user.type(await nameInput(), " EU");
  await change();
  expect(await screen.findByText(/^This network was changed by someone else\./)).toBeDefined();
  expect((await nameInput()).value).toBe("Production EU");
  expect(screen.getByLabelText(/^Description/)).toHaveProperty("value", "");
  await user.click(screen.getByRole("button", { name: "Load new values" }));
  expect((await nameInput()).value).toBe("Production");
  expect(screen.getByLabelText(/^Description/)).toHaveProperty("value", "By someone else");
  expect(screen.queryByText(/was changed by someone else/)).toBeNull();
});

it("asks before it discards changes", async () => {
  existing();
  const { user, path } = open();
  await user.type(await nameInput(), "2");
  await user.click(screen.getByRole("link", { name: "Networks" }));
  expect(await screen.findByRole("alertdialog", { name: "Leave without saving?" })).toBeDefined();
  expect(path()).toBe(`/settings/networks/${network.id}`);
});

async function openDialog() {
  const rendered = open();
  await rendered.user.type(await nameInput(), " typed");
  await rendered.user.click(screen.getByRole("button", { name: "Delete network…" }));
  return { ...rendered, dialog: within(await screen.findByRole("alertdialog")) };
}

it("deletes the network and goes to the list, even with unsaved changes [S7.14]", async () => {
  const api = existing().on(deleteNetwork, () => ({}));
  const { user, dialog, path } = await openDialog();
  await user.click(dialog.getByRole("button", { name: "Delete network" }));
  await vi.waitFor(() => expect(path()).toBe("/settings/networks"));
  expect(await screen.findByText("Network Production deleted")).toBeDefined();
  expect(api.calls(deleteNetwork)).toHaveLength(1);
});

it("shows every reason why a network can’t be deleted [S5.1]", async () => {
  const api = existing().on(deleteNetwork, () => {
    throw new Failure(400, [
      { code: "ERR_HAS_DEPENDENTS", message: "has dependents" },
      { code: "ERR_INVALID_VALUE", message: "is locked" },
    ]);
  });
  const { user, dialog } = await openDialog();
  await user.click(dialog.getByRole("button", { name: "Delete network" }));
  expect((await dialog.findByRole("alert")).textContent).toBe(
    "This network contains hosts, relays, and/or lighthouses.  Please delete them and try again.\nis locked",
  );
  await vi.waitFor(() =>
    expect(api.reports.map(({ message }) => message)).toEqual(["Error without path fell through"]),
  );
});

it("says why a network with hosts can’t be deleted [S8.14]", async () => {
  existing().on(deleteNetwork, () => {
    throw failure("ERR_HAS_DEPENDENTS");
  });
  const { user, dialog } = await openDialog();
  await user.click(dialog.getByRole("button", { name: "Delete network" }));
  expect((await dialog.findByRole("alert")).textContent).toBe(
    "This network contains hosts, relays, and/or lighthouses.  Please delete them and try again.",
  );
});
