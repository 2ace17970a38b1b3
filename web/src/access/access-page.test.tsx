import {
  checkAccess,
  getHostV2,
  getRole,
  listHostsV2,
  listNetworksV2,
  listRoles,
  type AccessAnswer,
  type HostV2,
} from "@lightkeeper/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { listenForShortcuts } from "../lib/shortcuts.ts";
import { RoleEditPage } from "../roles/role-edit-page.tsx";
import { allowed, allowedExample, db, denied, deniedBy, router, web } from "../testing/access.ts";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { enrolledHost, network, role } from "../testing/samples.ts";
import { failure, page, transport, type Transport } from "../testing/transport.ts";
import { ReadOnly } from "../ui/base/read-only.ts";
import { AccessPage } from "./access-page.tsx";

vi.setConfig({ testTimeout: 60_000 });
beforeEach(signIn);

const hosts: HostV2[] = [web, db].map(({ id, name, ipAddress }) => ({
  ...enrolledHost,
  id,
  name,
  ipAddresses: [ipAddress],
  roleID: role.id,
}));

/** Web reaches the database, and the other direction is denied. */
const answerByDirection = (source: object): AccessAnswer =>
  "hostID" in source && source.hostID === web.id ? allowed : denied;

function served(answer: (source: object) => AccessAnswer = answerByDirection): Transport {
  return transport()
    .on(checkAccess, ({ body }) => answer(body.source))
    .on(getHostV2, ({ params }) => hosts.find(({ id }) => id === params.hostID)!)
    .on(listHostsV2, ({ query }) =>
      page(hosts.filter(({ name }) => name.includes(query["filter.search"] ?? ""))),
    )
    .on(listRoles, () => page([role]))
    .on(getRole, () => role)
    .on(listNetworksV2, () => page([network]));
}

const both = `/access?source=${web.id}&destination=${db.id}&protocol=TCP&port=5432`;

function open(at = both, { isReadOnly = false } = {}) {
  return renderRoutes(
    [
      {
        path: "/access",
        element: (
          <ReadOnly value={isReadOnly}>
            <AccessPage />
          </ReadOnly>
        ),
      },
      { path: "/roles/:roleID", element: <RoleEditPage /> },
      { path: "*", element: <p>Elsewhere</p> },
    ],
    at,
  );
}

const answer = async (name: RegExp) => within(await screen.findByRole("region", { name }));
const steps = (card: Awaited<ReturnType<typeof answer>>) =>
  card
    .getAllByRole("listitem")
    .map((item: HTMLElement) => within(item).getByRole("heading", { level: 3 }).textContent);

it("checks both directions of the question in the URL", async () => {
  const api = served();
  open();
  const forward = await answer(/web-01 to db-01: Allowed/);
  expect(forward.getByText("can open TCP 5432 (PostgreSQL) on", { exact: false }).textContent).toBe(
    "web-01 can open TCP 5432 (PostgreSQL) on db-01.",
  );
  await answer(/db-01 to web-01: Denied/);
  expect(api.calls(checkAccess).map(({ body }) => body)).toEqual([
    { source: { hostID: web.id }, destination: { hostID: db.id }, protocol: "TCP", port: 5432 },
    { source: { hostID: db.id }, destination: { hostID: web.id }, protocol: "TCP", port: 5432 },
  ]);
  expect(screen.getByText("Revision 418")).toBeDefined();
  await waitFor(() => expect(document.title).toBe("Can web-01 reach db-01? - Lightkeeper"));
});

it("lists the checks of an allowed connection, with the rule in words and its origin", async () => {
  served();
  open();
  const card = await answer(/web-01 to db-01: Allowed/);
  expect(steps(card)).toEqual([
    "Passed: web-01 has a valid certificate",
    "Passed: db-01 trusts its CA",
    "Passed: web-01 allows all outbound traffic",
    "Passed: An inbound rule on db-01 matches",
    "Passed: Both hosts run these rules",
  ]);
  expect(card.getByText(/^Allow /).textContent).toBe(
    "Allow TCP 5432 (PostgreSQL) from hosts with tag team:web",
  );
  expect(card.getByText(/^Rule 4 of role/).textContent).toBe("Rule 4 of role Database · Queries");
  expect(card.getByRole("link", { name: "Database" }).getAttribute("href")).toBe(`/roles/${role.id}`);
  expect(card.queryByText("Not yet")).toBeNull();
});

it("says that no rule matters alone if several match", async () => {
  served(() => ({
    ...allowed,
    example: {
      ...allowedExample,
      rules: [0, 1].map((index) => ({ ...allowedExample.rules[0]!, index })),
    },
  }));
  open();
  const card = await answer(/web-01 to db-01/);
  expect(card.getByText(/2 inbound rules on/)).toBeDefined();
  expect(card.getByText(/removing one changes nothing/)).toBeDefined();
});

describe("a denied connection", () => {
  it("ends at the check that fails, and proposes the smallest rule", async () => {
    served();
    open();
    const card = await answer(/db-01 to web-01: Denied/);
    expect(steps(card).at(-1)).toBe("Failed: No inbound rule on web-01 matches");
    expect(card.getByText("Checked 7 rules of its role, tags and routes.")).toBeDefined();
    expect(card.getByText(/Opens 720 pairs of hosts: 18 sources, 40 destinations/)).toBeDefined();
  });

  it("opens the role with the rule as an unsaved change, once", async () => {
    served();
    const { user, router: navigation } = open();
    await user.click(await screen.findByRole("link", { name: "Add this rule…" }));
    const rules = await screen.findByRole("list", { name: "Rules" });
    await waitFor(() => expect(within(rules).getAllByRole("listitem")).toHaveLength(4));
    expect(within(rules).getAllByRole("listitem").at(-1)?.textContent).toContain(
      "Allow TCP 5432 (PostgreSQL) from hosts with tag team:db",
    );
    expect(navigation.state.location.pathname).toBe(`/roles/${role.id}`);
    await user.click(screen.getByRole("link", { name: "Cancel" }));
    expect(await screen.findByText("Your unsaved changes will be lost.")).toBeDefined();
  });

  it("shows auditors the answer without the action", async () => {
    served();
    open(both, { isReadOnly: true });
    const card = await answer(/db-01 to web-01: Denied/);
    expect(card.getByText("Smallest rule that would allow this")).toBeDefined();
    expect(screen.queryByRole("link", { name: "Add this rule…" })).toBeNull();
  });

  it.each([
    ["notEnrolled", "web-01 isn’t enrolled"],
    ["blocked", "web-01 is blocked"],
    ["expired", "The certificate of web-01 has expired"],
    ["otherNetwork", "The hosts are in different networks"],
    ["sameHost", "The source and the destination are the same host"],
  ] as const)("says only what is wrong if a check before the rules fails: %s", async (kind, title) => {
    served(() => deniedBy(kind));
    open();
    const card = await answer(/web-01 to db-01: Denied/);
    expect(steps(card)).toEqual([`Failed: ${title}`]);
  });

  it("ends at an untrusted CA", async () => {
    served(() => deniedBy("untrustedCa"));
    open();
    expect(steps(await answer(/web-01 to db-01: Denied/)).at(-1)).toBe(
      "Failed: The CA of web-01 isn’t trusted",
    );
  });
});

describe("hosts that don’t run the newest rules", () => {
  it("adds “Not yet” to the answer", async () => {
    served(() => ({ ...allowed, example: { ...allowedExample, isInSync: false } }));
    open();
    const card = await answer(/web-01 to db-01: Allowed, not yet/);
    expect(steps(card).at(-1)).toBe("Not yet: These rules aren’t in effect yet");
  });

  it("says that it is unknown if a host hasn’t reported", async () => {
    served(() => ({ ...allowed, example: { ...allowedExample, isInSync: null } }));
    open();
    const card = await answer(/web-01 to db-01: Allowed$/);
    expect(steps(card).at(-1)).toBe("Not yet: Unknown whether the hosts run these rules");
  });
});

describe("roles", () => {
  const roles = `/access?source=${role.id}&destination=${role.id.replace(/A$/, "B")}&port=22`;
  const answered = (some: Partial<AccessAnswer>) => served(() => ({ ...allowed, pairCount: 720, ...some }));

  it("says that all hosts are allowed, in the only network", async () => {
    const api = answered({ allowedPairCount: 720 });
    open(roles);
    const [card] = await screen.findAllByRole("region", { name: /: All$/ });
    expect(within(card!).getByText(/^Every host with role/).textContent).toContain(": 720 pairs.");
    expect(api.calls(checkAccess)[0]?.body).toMatchObject({
      source: { networkID: network.id, roleID: role.id },
      port: 22,
    });
  });

  it("counts the pairs if only some are allowed, and explains the first exception", async () => {
    answered({ answer: "some", allowedPairCount: 412, example: denied.example });
    open(roles);
    const [card] = await screen.findAllByRole("region", { name: /: Some$/ });
    expect(within(card!).getByText("412 of 720 pairs of hosts can open TCP 22 (SSH).")).toBeDefined();
    const exception = within(card!).getByText(/First exception/);
    expect(within(exception).getByRole("link").getAttribute("href")).toBe(
      `/access?source=${db.id}&destination=${web.id}&protocol=TCP&port=22`,
    );
  });

  it("says that no host is allowed", async () => {
    answered({ answer: "none", allowedPairCount: 0, example: denied.example });
    open(roles);
    const [card] = await screen.findAllByRole("region", { name: /: None$/ });
    expect(within(card!).getByText(/^No host with role/)).toBeDefined();
  });

  it("says so if no host has the role", async () => {
    answered({ answer: "none", pairCount: 0, allowedPairCount: 0, example: null });
    open(roles);
    expect((await screen.findAllByRole("region", { name: /: No hosts$/ })).length).toBe(2);
  });

  it("lets the person choose the network if there are several", async () => {
    const staging = { ...network, id: `network-${"B".repeat(26)}`, name: "Staging" };
    const api = served().on(listNetworksV2, () => page([network, staging]));
    const { user, path } = open(roles);
    await user.selectOptions(await screen.findByLabelText("Network"), "Staging");
    await waitFor(() => expect(path()).toContain(`network=${staging.id}`));
    await waitFor(() =>
      expect(api.calls(checkAccess).at(-1)?.body.source).toMatchObject({ networkID: staging.id }),
    );
  });

  it("uses the network of the host on the other side", async () => {
    const api = served();
    open(`/access?source=${role.id}&destination=${db.id}&port=22`);
    await waitFor(() =>
      expect(api.calls(checkAccess).map(({ body }) => body.source)).toContainEqual({
        networkID: network.id,
        roleID: role.id,
      }),
    );
    expect(screen.queryByLabelText("Network")).toBeNull();
  });
});

describe("an address behind a route", () => {
  const at = `/access?source=${web.id}&destination=192.168.4.10&port=443`;

  it("is checked in one direction, with its route", async () => {
    const api = served(() => ({
      ...allowed,
      example: {
        ...allowedExample,
        destination: { host: null, address: "192.168.4.10" },
        decidingHost: router,
        route: { subnet: "192.168.4.0/24", routers: [router] },
      },
    }));
    open(at);
    const card = await answer(/web-01 to 192.168.4.10: Allowed/);
    expect(steps(card)).toContain("Passed: web-01 has a route to 192.168.4.0/24");
    expect(steps(card)).toContain("Passed: An inbound rule on router-01 matches");
    expect(api.calls(checkAccess).map(({ body }) => body.destination)).toEqual([{ address: "192.168.4.10" }]);
    expect(screen.getByRole("button", { name: "Swap source and destination" })).toHaveProperty(
      "disabled",
      true,
    );
  });

  it.each([
    ["noRoute", "web-01 has no route to 192.168.4.10"],
    ["unknownAddress", "No host or route has the address 192.168.4.10"],
    ["noCommonFamily", "web-01 has no IPv4 address"],
    ["notServed", "No router serves 192.168.4.10"],
  ] as const)("is denied without a route: %s", async (kind, title) => {
    served(() =>
      deniedBy(kind, {
        source: web,
        destination: { host: null, address: "192.168.4.10" },
        decidingHost: null,
      }),
    );
    open(at);
    const shown = steps(await answer(/192.168.4.10: Denied/));
    expect(shown.at(-1)).toBe(`Failed: ${title}`);
    expect(shown.filter((step) => step?.includes("trusts"))).toEqual([]);
  });
});

describe("the question", () => {
  it("starts empty, and is built by picking a host and a role", async () => {
    const api = served();
    const { user, path } = open("/access");
    expect(await screen.findByText("Choose a source and a destination")).toBeDefined();
    await user.type(screen.getByLabelText("Source"), "web-0");
    await user.click(await screen.findByRole("option", { name: /web-01/ }));
    expect(await screen.findByText("Choose a destination")).toBeDefined();
    await user.type(screen.getByLabelText("Destination"), "web");
    await user.click(await screen.findByRole("option", { name: /^Web.*Role/ }));
    await waitFor(() =>
      expect(path()).toBe(`/access?source=${web.id}&destination=${role.id}&protocol=TCP&port=443`),
    );
    await waitFor(() => expect(api.calls(checkAccess)[0]?.body.destination).toEqual({ roleID: role.id }));
  });

  it("accepts a typed address as the destination only", async () => {
    served();
    const { user, path } = open(`/access?source=${web.id}`);
    await user.type(await screen.findByLabelText("Source"), "192.168.4.10");
    expect(await screen.findByRole("option", { name: "Nothing matches" })).toBeDefined();
    await user.keyboard("{Escape}");
    await user.type(screen.getByLabelText("Destination"), "192.168.4.10");
    await user.click(await screen.findByRole("option", { name: /^192.168.4.10/ }));
    await waitFor(() => expect(path()).toContain("destination=192.168.4.10"));
    await answer(/: Allowed/);
  });

  it("accepts an IPv6 address in any form, and shows its canonical form", async () => {
    const api = served();
    const { user } = open(`/access?source=${web.id}`);
    await user.type(await screen.findByLabelText("Destination"), "FD00:4:0::10");
    await user.click(await screen.findByRole("option", { name: /^fd00:4::10/ }));
    await waitFor(() =>
      expect(api.calls(checkAccess)[0]?.body.destination).toEqual({ address: "fd00:4::10" }),
    );
  });

  it("follows the port while it is typed, and names the service", async () => {
    const api = served();
    const { user, path } = open();
    await answer(/web-01 to db-01: Allowed/);
    const port = screen.getByLabelText<HTMLInputElement>("Port");
    await user.clear(port);
    expect(await screen.findByText(/Enter a port from 1 to 65535/)).toBeDefined();
    await user.type(port, "ssh");
    await waitFor(() => expect(path()).toContain("port=ssh"));
    await waitFor(() => expect(api.calls(checkAccess).at(-1)?.body).toMatchObject({ port: 22 }));
    expect(await screen.findByText("SSH")).toBeDefined();
  });

  it("has no port for ICMP", async () => {
    const api = served();
    const { user } = open();
    await user.selectOptions(await screen.findByLabelText("Protocol"), "ICMP");
    await waitFor(() =>
      expect(api.calls(checkAccess).at(-1)?.body).toMatchObject({ protocol: "ICMP", port: null }),
    );
    expect(screen.getByLabelText("Port")).toHaveProperty("disabled", true);
    expect((await screen.findByText(/can ping/)).textContent).toBe("web-01 can ping db-01.");
  });

  it("is swapped by the button and by s", async () => {
    served();
    const stopListening = listenForShortcuts();
    const { user, path } = open();
    await answer(/web-01 to db-01: Allowed/);
    await user.click(screen.getByRole("button", { name: "Swap source and destination" }));
    await waitFor(() => expect(path()).toContain(`source=${db.id}&destination=${web.id}`));
    await user.keyboard("s");
    await waitFor(() => expect(path()).toContain(`source=${web.id}&destination=${db.id}`));
    stopListening();
  });

  it("is shared as a link", async () => {
    served();
    const { user } = open();
    await user.click(screen.getByRole("button", { name: "Copy link" }));
    expect(await screen.findByText("Link copied")).toBeDefined();
  });
});

it("shows what failed and retries", async () => {
  const api = served().on(checkAccess, () => Promise.reject(failure("ERR_UNAVAILABLE", {}, "request-9")));
  const { user } = open();
  const [alert] = await screen.findAllByRole("alert");
  expect(alert?.textContent).toContain("request-9");
  api.on(checkAccess, ({ body }) => answerByDirection(body.source));
  await user.click(within(alert!).getByRole("button", { name: "Try again" }));
  expect(await answer(/web-01 to db-01: Allowed/)).toBeDefined();
});

it("says that a host no longer exists", async () => {
  served().on(checkAccess, () => Promise.reject(failure("ERR_INVALID_REFERENCE", { path: "source.hostID" })));
  open();
  const [alert] = await screen.findAllByRole("alert");
  expect(alert?.textContent).toContain("The source or the destination no longer exists.");
});
