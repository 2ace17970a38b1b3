import {
  listDeviceRequests,
  listHostsV2,
  listNetworksV2,
  listRoles,
  listTags,
  whoami,
} from "@lightkeeper/contract";
import { screen, waitFor } from "@testing-library/react";
import { matchRoutes } from "react-router";
import { describe, expect, it } from "vitest";
import { saveUserToken } from "../lib/tokens.ts";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { auditor, network, user } from "../testing/samples.ts";
import { page, transport } from "../testing/transport.ts";
import { registeredPaths } from "./navigation.ts";
import { routes } from "./router.tsx";

function open(at: string, networks = [network], person = user) {
  const server = transport()
    .on(whoami, () => person)
    .on(listNetworksV2, () => page(networks))
    .on(listDeviceRequests, () => [])
    .on(listHostsV2, () => page([]))
    .on(listRoles, () => page([]))
    .on(listTags, () => page([]));
  return { server, ...renderRoutes(routes, at) };
}
const expectPath = (shown: { path: () => string }, to: string) =>
  waitFor(() => expect(shown.path()).toBe(to));
const routeAt = (path: string) => matchRoutes(routes, path)?.at(-1)?.route.path;

describe("the map", () => {
  it.each([
    ["/auth/login", "/auth/login"],
    ["/auth/login/org-A", "/auth/login/:orgID"],
    ["/auth/magic-link", "/auth/magic-link"],
    ["/auth/mfa", "/auth/mfa"],
    ["/auth/mfa/register", "/auth/mfa/register"],
    ["/auth/mfa/renew", "/auth/mfa/renew"],
    ["/auth/anything/else", "/auth/*"],
    ["/signup", "/signup/*"],
    ["/signup/anything", "/signup/*"],
    ["/signup/pro", "/signup/pro"],
    ["/deleted-account", "/deleted-account"],
    ["/get-started", "/get-started"],
    ["/settings/billing/upgrade-success", "upgrade-success"],
    ["/settings/billing/upgrade-pending", "/settings/billing/upgrade-pending"],
    ["/settings/billing/checkout", "/settings/billing/checkout"],
    ["/settings/networks", "/settings/networks"],
    ["/settings/networks/add", "/settings/networks/add"],
    ["/settings/networks/network-A", "/settings/networks/:networkID"],
    ["/nowhere", "*"],
    ...["/hosts", "/lighthouses", "/relays"].flatMap((base) => [
      [base, base],
      [`${base}/add`, `${base}/add`],
      [`${base}/host-A/edit`, `${base}/:hostID/edit`],
      [`${base}/host-A/debug`, "debug"],
      [`${base}/host-A/config`, "config"],
      [`${base}/host-A/activity`, "activity"],
      [`${base}/host-A/block`, "block"],
      [`${base}/host-A/delete`, "delete"],
    ]),
  ])("has %s at %s [S2.1] [S2.3] [S2.5] [S2.7] [S2.8] [S2.9] [S2.20] [S2.23]", (path, route) => {
    expect(routeAt(path)).toBe(route);
  });

  it("has a page for every entry of the sidebar", () => {
    for (const path of registeredPaths) expect(routeAt(path)).toBe(path);
  });
});

describe("a visitor", () => {
  it("without a session is redirected from the app to login [S4.2]", async () => {
    await expectPath(open("/settings/networks"), "/auth/login");
    expect(await screen.findByRole("heading", { name: "Log in" })).toBeTruthy();
  });

  it("is redirected from an unknown /auth path to login [S2.3]", async () => {
    await expectPath(open("/auth/nothing"), "/auth/login");
  });

  it.each(["/auth/mfa", "/auth/mfa/register", "/auth/mfa/renew"])(
    "needs a user token for %s [S2.3] [S4.15]",
    async (at) => {
      await expectPath(open(at), "/auth/login");
    },
  );

  it("reaches the second factor with a user token", async () => {
    saveUserToken("user-token");
    const shown = open("/settings/networks");
    await expectPath(shown, "/auth/mfa");
  });
});

describe("someone signed in", () => {
  it("goes from / to the hosts [S2.6]", async () => {
    signIn();
    await expectPath(open("/"), "/hosts");
    expect(await screen.findByRole("heading", { name: "No hosts yet" })).toBeDefined();
  });

  it("goes from / to /get-started without networks [S4.13]", async () => {
    signIn();
    await expectPath(open("/", []), "/get-started");
  });

  it("sees the 404 page within the layout at an unknown path [S2.23]", async () => {
    signIn();
    open("/nowhere");
    expect(await screen.findByRole("heading", { name: "Nothing here (404)" })).toBeTruthy();
    expect(screen.getByRole("navigation", { name: "Main" })).toBeTruthy();
  });
});

describe("an auditor", () => {
  const openAsAuditor = (at: string) => {
    signIn();
    return open(at, [], auditor);
  };

  it("sees read-only lists, even without a network", async () => {
    await expectPath(openAsAuditor("/"), "/hosts");
    expect(await screen.findByRole("heading", { name: "No hosts yet" })).toBeDefined();
    expect(screen.queryByRole("link", { name: /^Add/ })).toBeNull();
  });

  it.each([
    "/hosts/add",
    "/hosts/add-several",
    "/lighthouses/add",
    "/relays/host-A/edit",
    "/hosts/host-A/enroll",
    "/hosts/host-A/unblock",
    "/routes/add",
    "/roles/add",
    "/tags/add",
    "/tags/reorder",
    "/settings/networks/add",
    "/settings/api-keys/add",
  ])("sees an explanation at %s, before filling in anything", async (at) => {
    openAsAuditor(at);
    expect(await screen.findByRole("heading", { name: "Read-only access" })).toBeDefined();
    await waitFor(() => expect(document.title).toBe("Read-only access - Lightkeeper"));
  });
});
