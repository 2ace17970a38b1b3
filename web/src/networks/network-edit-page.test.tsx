import {
  addNetworkCidr,
  deleteNetwork,
  getNetworkUpgrade,
  getNetworkV2,
  updateNetworkV2,
  type NetworkUpgrade,
  type NetworkV2,
} from "@lightkeeper/contract";
import { act, screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { invalidateNoun } from "../lib/query.ts";
import { renderPage, signIn } from "../testing/render.tsx";
import { networkUpgrade } from "../testing/network-upgrades.ts";
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
const serve = (shown = network) =>
  transport()
    .on(getNetworkV2, () => shown)
    .on(getNetworkUpgrade, () => null);
const existing = () => serve();

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
  for (const value of [
    network.id,
    "100.100.0.0/22",
    network.signingCAID,
    "0 hosts",
    "1 (any version of Nebula)",
    "Curve25519",
  ]) {
    expect(screen.getByText(value)).toBeDefined();
  }
  expect(api.calls(getNetworkV2)[0]?.params).toEqual({ networkID: network.id });
});

it("saves the values and goes to the list without asking [S7.13]", async () => {
  const api = serve({ ...network, disableManagedLighthouses: true }).on(updateNetworkV2, ({ body }) => ({
    ...network,
    name: body.name,
  }));
  const { user, path } = open();
  await user.clear(await nameInput());
  await user.type(await nameInput(), "Live");
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("Network Live saved")).toBeDefined();
  await vi.waitFor(() => expect(path()).toBe("/settings/networks"));
  expect(api.calls(updateNetworkV2)[0]).toMatchObject({
    params: { networkID: network.id },
    body: { name: "Live", description: "", lighthousesAsRelays: false, disableManagedLighthouses: true },
  });
});

it("shows a duplicate name at its field [S5.2]", async () => {
  existing().on(updateNetworkV2, () => {
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
  const api = transport().on(getNetworkV2, () => {
    throw failure("ERR_NOT_FOUND");
  });
  open();
  expect(await screen.findByText("The page failed")).toBeDefined();
  expect(api.calls(getNetworkV2)).toHaveLength(1);
  noise.mockRestore();
});

it("shows what failed and retries", async () => {
  const api = existing().on(getNetworkV2, () => {
    throw failure("ERR_UNAVAILABLE", {}, "request-3");
  });
  const { user } = open();
  expect((await screen.findByRole("alert")).textContent).toContain("request-3");
  api.on(getNetworkV2, () => network);
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect((await nameInput()).value).toBe("Production");
});

async function changeMeanwhile(changed: NetworkV2, api = existing()) {
  const rendered = open();
  await nameInput();
  return {
    ...rendered,
    change: () => {
      api.on(getNetworkV2, () => changed);
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

describe("the IPv4 range of an IPv6 network", () => {
  const ipv6Network: NetworkV2 = { ...network, cidrs: ["fd12::/64"], certVersion: 2, curve: "P256" };
  const bothFamilies: NetworkV2 = { ...ipv6Network, cidrs: ["10.1.0.0/16", "fd12::/64"] };

  async function openRangeDialog(api = serve(ipv6Network)) {
    const rendered = open();
    await rendered.user.click(await screen.findByRole("button", { name: "Add IPv4 range…" }));
    return { ...rendered, api, dialog: within(await screen.findByRole("dialog")) };
  }

  it("is added, and the page shows both ranges", async () => {
    const { user, api, dialog } = await openRangeDialog();
    expect(screen.getByText("2 (Nebula 1.10 or newer)")).toBeDefined();
    expect(screen.getByText("P-256")).toBeDefined();
    await user.type(dialog.getByLabelText("IPv4 CIDR"), " 10.1.0.0/16 ");
    expect(dialog.getByText("65,534 host addresses, 10.1.0.1 to 10.1.255.254.")).toBeDefined();
    api.on(addNetworkCidr, () => bothFamilies).on(getNetworkV2, () => bothFamilies);
    await user.click(dialog.getByRole("button", { name: "Add range" }));
    expect(await screen.findByText("IPv4 range added to Production")).toBeDefined();
    expect(await screen.findByRole("button", { name: "Copy IPv4 CIDR" })).toBeDefined();
    expect(screen.getByRole("button", { name: "Copy IPv6 CIDR" })).toBeDefined();
    expect(screen.queryByRole("button", { name: "Add IPv4 range…" })).toBeNull();
    expect(api.calls(addNetworkCidr)[0]).toMatchObject({
      params: { networkID: network.id },
      body: { cidr: "10.1.0.0/16" },
    });
  });

  it("is required before the server is called", async () => {
    const { user, dialog } = await openRangeDialog();
    await user.click(dialog.getByRole("button", { name: "Add range" }));
    expect((await dialog.findByRole("alert")).textContent).toBe(
      "Enter an IPv4 range such as 100.100.0.0/22.",
    );
  });

  it.each([
    ["ERR_INVALID_VALUE", { path: "cidr", message: "overlaps Lab" }, "Can’t use this range: overlaps Lab."],
    ["ERR_NETWORK_ALREADY_HAS_IPV4_CIDR", {}, "This network already has an IPv4 range."],
  ] as const)("keeps the typed range after %s", async (code, entry, shown) => {
    const { user, api, dialog } = await openRangeDialog();
    api.on(addNetworkCidr, () => {
      throw failure(code, entry);
    });
    await user.type(dialog.getByLabelText("IPv4 CIDR"), "10.1.0.0/16{Enter}");
    expect((await dialog.findByRole("alert")).textContent).toBe(shown);
    expect(dialog.getByLabelText("IPv4 CIDR")).toHaveProperty("value", "10.1.0.0/16");
  });

  it("can’t be added to a network that has one", async () => {
    existing();
    open();
    await nameInput();
    expect(screen.queryByRole("button", { name: "Add IPv4 range…" })).toBeNull();
  });
});

describe("the upgrade to version 2 certificates", () => {
  const card = () => screen.findByRole("region", { name: "Upgrade to IPv6" });

  it("is offered for a network with version 1 certificates", async () => {
    existing();
    const { user, path } = open();
    await user.click(await screen.findByRole("link", { name: "Upgrade to IPv6…" }));
    await vi.waitFor(() => expect(path()).toBe(`/settings/networks/${network.id}/upgrade`));
  });

  it("isn’t offered for a network that was created with version 2 certificates", async () => {
    const api = serve({ ...network, certVersion: 2 });
    open();
    await nameInput();
    await vi.waitFor(() => expect(api.calls(getNetworkUpgrade)).toHaveLength(1));
    expect(screen.queryByText(/IPv6/)).toBeNull();
  });

  const states: [state: Partial<NetworkUpgrade>, text: RegExp][] = [
    [{}, /Step 2 of 6: Distribute the new CA\. Waiting for 3 hosts\./],
    [
      { step: "INITIATE", canFinish: true, waitingFor: { hostCount: 0, hosts: [] } },
      /Step 4 of 6: Use version 2 for new tunnels\. All hosts are ready for the last step\./,
    ],
    [
      { isReverting: true },
      /The upgrade to version 2 certificates is being reverted\. Waiting for 3 hosts\./,
    ],
    [{ step: "DONE" }, /The upgrade to version 2 certificates was completed .* ago\./],
  ];

  it.each(states)("shows the state %o", async (more, text) => {
    existing().on(getNetworkUpgrade, () => ({ ...networkUpgrade, ...more }));
    open();
    const shown = await card();
    expect(shown.textContent).toMatch(text);
    expect(within(shown).getByRole("link", { name: "View upgrade" }).getAttribute("href")).toBe(
      `/settings/networks/${network.id}/upgrade`,
    );
  });
});
