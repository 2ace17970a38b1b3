import { listHostsV2, listTags } from "@lightkeeper/contract";
import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import {
  hostNamed,
  lastHostQuery,
  openHosts,
  rowOf,
  serveHosts,
  staging,
  web,
} from "../testing/host-list.tsx";
import { signIn } from "../testing/render.tsx";
import { network, role, tag } from "../testing/samples.ts";
import { page } from "../testing/transport.ts";
import { savedViews } from "./saved-views.ts";

beforeEach(signIn);

it("searches while typing and says when nothing matches", async () => {
  const api = serveHosts();
  const { user, path } = openHosts();
  await rowOf("web");
  api.on(listHostsV2, () => page([]));
  await user.type(screen.getByRole("searchbox"), "zebra");
  expect(await screen.findByRole("heading", { name: "Nothing matches" })).toBeDefined();
  expect(path()).toBe("/hosts?filter.search=zebra");
  expect(lastHostQuery(api)).toMatchObject({ "filter.search": "zebra" });
  api.on(listHostsV2, () => page([web]));
  await user.click(screen.getAllByRole("button", { name: "Clear" }).at(-1)!);
  expect(await rowOf("web")).toBeDefined();
  expect(path()).toBe("/hosts");
});

it("includes and labels lighthouses and relays when opened from the host count of a role", async () => {
  const beacon = hostNamed("beacon", { isLighthouse: true, roleID: role.id });
  const api = serveHosts([web, beacon]);
  const { user, path } = openHosts(`/hosts?filter.roleID=${role.id}&filter.kind=any`);
  expect(within(await rowOf("beacon")).getByText("Lighthouse · Production")).toBeDefined();
  expect(within(await rowOf("web")).getByText("Production")).toBeDefined();
  expect(lastHostQuery(api)).not.toHaveProperty("filter.isLighthouse");
  expect(lastHostQuery(api)).not.toHaveProperty("filter.isRelay");
  expect(lastHostQuery(api)).toMatchObject({ "filter.roleID": role.id });
  await user.click(
    screen.getByRole("button", { name: "Remove filter Type: Including lighthouses and relays" }),
  );
  expect(path()).toBe(`/hosts?filter.roleID=${role.id}`);
  await waitFor(() =>
    expect(lastHostQuery(api)).toMatchObject({ "filter.isLighthouse": "false", "filter.isRelay": "false" }),
  );
});

it("filters by chips that are kept in the URL and removed one by one", async () => {
  const api = serveHosts();
  const { user, path } = openHosts(`/hosts?filter.roleID=${role.id}`);
  expect(await screen.findByRole("button", { name: `Role: ${role.name}` })).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Status" }));
  await user.click(await screen.findByRole("option", { name: "Offline" }));
  expect(path()).toBe(`/hosts?filter.roleID=${role.id}&filter.status=offline`);
  await waitFor(() =>
    expect(lastHostQuery(api)).toMatchObject({ "filter.status": "offline", "filter.roleID": role.id }),
  );
  await user.click(screen.getByRole("button", { name: "Remove filter Status: Offline" }));
  expect(path()).toBe(`/hosts?filter.roleID=${role.id}`);
});

it("filters by several tags, found on the server, by keyboard alone", async () => {
  const api = serveHosts();
  const { user, path } = openHosts("/hosts?filter.tag=site%3Afra");
  await rowOf("web");
  act(() => screen.getByRole("button", { name: "Tag: site:fra" }).focus());
  await user.keyboard("{Enter}");
  await screen.findByRole("option", { name: tag.name });
  await user.keyboard("env");
  await waitFor(() => expect(api.calls(listTags).at(-1)?.query["filter.search"]).toBe("env"));
  await user.keyboard("{Enter}");
  expect(path()).toBe("/hosts?filter.tag=site%3Afra&filter.tag=env%3Aprod");
  await user.keyboard("{Escape}");
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Tag: site:fra, env:prod" }));
});

it("filters by update, platform and block from the menu of further filters", async () => {
  const api = serveHosts();
  const { user, path } = openHosts();
  await rowOf("web");
  await user.click(screen.getByRole("button", { name: "More" }));
  await user.click(await screen.findByRole("menuitemcheckbox", { name: "Update available" }));
  await user.click(screen.getByRole("menuitemcheckbox", { name: "Phone" }));
  await user.click(screen.getByRole("menuitemcheckbox", { name: "Not blocked" }));
  expect(lastHostQuery(api)).toMatchObject({
    "filter.metadata.updateAvailable": "true",
    "filter.metadata.platform": "mobile",
    "filter.isBlocked": "false",
  });
  await user.keyboard("{Escape}");
  await user.click(screen.getByRole("button", { name: "Remove filter Agent: Update available" }));
  expect(path()).toBe("/hosts?filter.metadata.platform=mobile&filter.isBlocked=false");
});

it("remembers the network for this session, until it is removed [S2.26]", async () => {
  serveHosts();
  const { user, unmount } = openHosts(`/hosts?filter.networkID=${staging.id}`);
  expect(await screen.findByRole("button", { name: "Network: Staging" })).toBeDefined();
  expect(sessionStorage.getItem("filterNetworkId")).toBe(staging.id);
  unmount();
  openHosts("/relays");
  await rowOf("web");
  expect(sessionStorage.getItem("filterNetworkId")).toBe(staging.id);
  await user.click(screen.getByRole("button", { name: "Network" }));
  await user.click(await screen.findByRole("option", { name: "Production" }));
  expect(sessionStorage.getItem("filterNetworkId")).toBe(network.id);
  await user.click(screen.getByRole("button", { name: "Remove filter Network: Production" }));
  expect(sessionStorage.getItem("filterNetworkId")).toBeNull();
});

it("shows the chosen columns and remembers them", async () => {
  serveHosts();
  const { user, unmount } = openHosts();
  await rowOf("web");
  await user.click(screen.getByRole("button", { name: "Columns" }));
  await user.click(await screen.findByRole("menuitemcheckbox", { name: "Tags" }));
  await user.click(screen.getByRole("menuitemcheckbox", { name: "Created" }));
  const headers = () => screen.getAllByRole("columnheader").map((header) => header.textContent);
  expect(headers()).toContain("Created");
  expect(headers()).not.toContain("Tags");
  unmount();
  openHosts();
  await rowOf("web");
  expect(headers()).toContain("Created");
  expect(headers()).not.toContain("Tags");
});

it("saves a view by name and shows it again", async () => {
  serveHosts();
  const { user, path } = openHosts("/hosts?filter.status=offline&sort=-name&cursor=x");
  await rowOf("web");
  await user.click(screen.getByRole("button", { name: "Views" }));
  await user.click(await screen.findByRole("menuitem", { name: "Save this view…" }));
  await user.type(await screen.findByRole("textbox", { name: "Name" }), "Lost{Enter}");
  await user.click(await screen.findByRole("button", { name: "Lost" }));
  await user.click(await screen.findByRole("menuitem", { name: "All hosts" }));
  expect(path()).toBe("/hosts");
  await user.click(screen.getByRole("button", { name: "Views" }));
  await user.click(await screen.findByRole("menuitem", { name: "Lost" }));
  expect(path()).toBe("/hosts?filter.status=offline&sort=-name");
});

it("renames a view, deletes it and restores it", async () => {
  const columns = ["status", "address", "role", "tags", "lastSeen", "version"];
  savedViews.host.write([{ name: "Lost", query: "filter.status=offline", columns }]);
  serveHosts();
  const { user } = openHosts("/hosts?filter.status=offline");
  await user.click(await screen.findByRole("button", { name: "Lost" }));
  await user.click(await screen.findByRole("menuitem", { name: "Rename Lost…" }));
  const input = await screen.findByRole("textbox", { name: "Name" });
  await user.clear(input);
  await user.type(input, "Gone{Enter}");
  await user.click(await screen.findByRole("button", { name: "Gone" }));
  await user.click(await screen.findByRole("menuitem", { name: "Delete Gone" }));
  expect(screen.getByRole("button", { name: "Views" })).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Undo" }));
  expect(await screen.findByRole("button", { name: "Gone" })).toBeDefined();
});
