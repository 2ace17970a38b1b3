import {
  createHostAndEnrollmentCodeV2,
  getNetworkV2,
  listNetworksV2,
  listRoles,
  listTags,
} from "@lightkeeper/contract";
import { DAY_SECONDS } from "@lightkeeper/contract/durations";
import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { brokenGuarantee } from "../testing/preview-samples.ts";
import { renderPage, signIn, type RenderedRoutes } from "../testing/render.tsx";
import { host, network, role, tag } from "../testing/samples.ts";
import { failure, page, transport, unreachable, type Transport } from "../testing/transport.ts";
import { AddSeveralPage } from "./add-several-page.tsx";

beforeEach(signIn);

const addedHost = (name: string) => ({
  host: { ...host, id: `host-${name.toUpperCase().padEnd(26, "A")}`, name },
  enrollmentCode: { code: `code-of-${name}`, lifetimeSeconds: DAY_SECONDS },
});

function serve(): Transport {
  return transport()
    .on(listNetworksV2, () => page([network]))
    .on(getNetworkV2, () => network)
    .on(listRoles, () => page([role]))
    .on(listTags, () => page([tag]))
    .on(createHostAndEnrollmentCodeV2, ({ body }) => addedHost(body.name));
}

const open = () => renderPage(<AddSeveralPage />, { route: "/hosts/add-several" });
const textArea = () => screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Hosts" });
const bodies = (api: Transport) => api.calls(createHostAndEnrollmentCodeV2).map(({ body }) => body);
const commandOf = (name: string) =>
  `curl -fsSL ${location.origin}/install.sh | sudo sh -s -- --code code-of-${name}`;

/** Pastes and waits until what the rows are validated against is loaded. */
async function paste({ user }: RenderedRoutes, text: string) {
  await user.click(await textArea());
  await user.paste(text);
  await screen.findByDisplayValue(network.name);
}
const submit = async ({ user }: RenderedRoutes, name: string) =>
  user.click(await screen.findByRole("button", { name }));

it("shows a preview of the rows before anything is sent", async () => {
  const api = serve();
  const rendered = open();
  expect(document.title).toBe("Add several hosts - Lightkeeper");
  await paste(rendered, `web-1\ndb-1, ${role.name}, ${tag.name}, 100.100.0.20\nbad, Nobody`);
  const table = within(await screen.findByRole("table", { name: "Preview" }));
  expect(await table.findByText("Role Nobody doesn’t exist.")).toBeDefined();
  expect(table.getAllByText("Ready")).toHaveLength(2);
  expect(table.getByText("100.100.0.20")).toBeDefined();
  await submit(rendered, "Add 3 hosts");
  expect((await screen.findByRole("alert")).textContent).toBe("1 row needs fixing.");
  expect(document.activeElement).toBe(await textArea());
  expect(bodies(api)).toEqual([]);
});

it("adds every row with its own and the shared values", async () => {
  const api = serve();
  const rendered = open();
  await paste(rendered, `web-1\ndb-1, ${role.name}, ${tag.name}, 100.100.0.20`);
  await screen.findByText("100.100.0.20");
  await rendered.user.selectOptions(screen.getByLabelText("Codes expire after"), "7 days");
  await submit(rendered, "Add 2 hosts");
  expect(await screen.findByText("2 hosts added")).toBeDefined();
  expect(bodies(api)).toEqual([
    { name: "web-1", networkID: network.id, roleID: null, tags: [], codeLifetimeSeconds: 7 * DAY_SECONDS },
    {
      name: "db-1",
      networkID: network.id,
      roleID: role.id,
      tags: [tag.name],
      ipAddresses: ["100.100.0.20"],
      codeLifetimeSeconds: 7 * DAY_SECONDS,
    },
  ]);
  expect(screen.getByText(commandOf("web-1"))).toBeDefined();
  expect(screen.getByRole("button", { name: "Copy command for db-1" })).toBeDefined();
});

it("keeps the codes across pages until the user confirms that they are saved", async () => {
  serve();
  const rendered = open();
  await paste(rendered, "web-1");
  await submit(rendered, "Add 1 host");
  await screen.findByText(commandOf("web-1"));
  await act(() => rendered.router.navigate("/hosts"));
  await screen.findByText("Elsewhere");
  await act(() => rendered.router.navigate(-1));
  expect(await screen.findByText(commandOf("web-1"))).toBeDefined();
  await submit(rendered, "I’ve saved it");
  await vi.waitFor(() => expect(rendered.path()).toBe("/hosts"));
  await act(() => rendered.router.navigate(-1));
  expect(await textArea()).toBeDefined();
  expect(screen.queryByText(commandOf("web-1"))).toBeNull();
});

it("downloads one list of names, addresses, codes and commands", async () => {
  serve();
  const files: Blob[] = [];
  URL.createObjectURL = (file: Blob) => {
    files.push(file);
    return "blob:1";
  };
  const clicked = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => undefined);
  const rendered = open();
  await paste(rendered, "web-1\n=cmd");
  await submit(rendered, "Add 2 hosts");
  await submit(rendered, "Download CSV");
  const lines = (await files[0]!.text()).split("\r\n");
  expect(lines[0]).toBe("name,address,code,valid until,command");
  expect(lines[1]).toMatch(/^web-1,100\.100\.0\.7,code-of-web-1,\d{4}-.*,curl .* --code code-of-web-1$/);
  expect(lines[2]).toMatch(/^'=cmd,/);
  clicked.mockRestore();
});

it("explains which guarantee a host would break", async () => {
  serve().on(createHostAndEnrollmentCodeV2, ({ body }) => {
    if (body.name === "ci-1")
      throw failure("ERR_GUARANTEE_VIOLATED", { extra: { guarantees: [brokenGuarantee] } });
    return addedHost(body.name);
  });
  const rendered = open();
  await paste(rendered, "ci-1\nci-2");
  await submit(rendered, "Add 2 hosts");
  expect(await screen.findByText("1 host wasn’t added.")).toBeDefined();
  const guarantee = await screen.findByRole("link", { name: brokenGuarantee.description });
  expect(guarantee.closest("li")?.textContent).toBe(
    "ci-1: Breaks the guarantee Contractors must never reach databases: ci-1 could reach db-1 on TCP 5432 (PostgreSQL), allowed by tag debug:verbose, rule 1.",
  );
});

it("keeps the failed rows for another attempt, independent of the added hosts", async () => {
  const api = serve();
  api.on(createHostAndEnrollmentCodeV2, ({ body }) => {
    if (body.name === "taken") throw failure("ERR_DUPLICATE_VALUE", { path: "name" });
    if (body.name === "lost") throw unreachable();
    return addedHost(body.name);
  });
  const rendered = open();
  await paste(rendered, `web-1\ntaken, ${role.name}\nlost`);
  await submit(rendered, "Add 3 hosts");
  expect((await screen.findByRole("alert")).textContent).toBe("2 hosts weren’t added.");
  expect(screen.getByText(/Another host in this network has this name\./)).toBeDefined();
  expect(screen.getByText(/Can’t reach Lightkeeper\./)).toBeDefined();
  await submit(rendered, "I’ve saved it");
  expect(screen.queryByText(commandOf("web-1"))).toBeNull();
  await submit(rendered, "Fix and try again");
  expect((await textArea()).value).toBe(`name,role,tags,ip
taken,${role.name},,
lost,,,
`);
  api.on(createHostAndEnrollmentCodeV2, ({ body }) => addedHost(body.name));
  await rendered.user.clear(await textArea());
  await rendered.user.paste("not-taken\nlost");
  await submit(rendered, "Add 2 hosts");
  expect(await screen.findByText("2 hosts added")).toBeDefined();
});

it("stops at the limit of the plan and says so for every remaining row", async () => {
  const api = serve().on(createHostAndEnrollmentCodeV2, () => {
    throw failure("ERR_LIMIT_EXCEEDED", { extra: { limit: 100 } });
  });
  const rendered = open();
  const names = Array.from({ length: 30 }, (_, index) => `web-${index}`);
  await paste(rendered, names.join("\n"));
  await submit(rendered, "Add 30 hosts");
  expect((await screen.findByRole("alert")).textContent).toBe("30 hosts weren’t added.");
  expect(screen.getAllByText(/Your plan is limited to 100 hosts\./)).toHaveLength(30);
  expect(bodies(api).length).toBeLessThan(10);
});

it("shows progress and continues while another page is open", async () => {
  const api = serve();
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  api.on(createHostAndEnrollmentCodeV2, async ({ body }) => {
    if (body.name === "slow") await released;
    return addedHost(body.name);
  });
  const rendered = open();
  await paste(rendered, "web-1\nslow");
  await submit(rendered, "Add 2 hosts");
  const progress = await screen.findByRole("progressbar", { name: "Adding hosts" });
  await waitFor(() => expect(progress.getAttribute("value")).toBe("1"));
  await act(() => rendered.router.navigate("/elsewhere"));
  await act(async () => release());
  await act(() => rendered.router.navigate(-1));
  expect(await screen.findByText("2 hosts added")).toBeDefined();
});

it("asks before it discards typed rows", async () => {
  serve();
  const rendered = open();
  await paste(rendered, "web-1");
  await rendered.user.click(screen.getByRole("link", { name: "Cancel" }));
  expect(await screen.findByRole("alertdialog", { name: "Leave without saving?" })).toBeDefined();
});

it("reads the rows from a file", async () => {
  serve();
  const { user } = open();
  await textArea();
  await user.upload(screen.getByLabelText("CSV file"), new File(["web-1\nweb-2"], "hosts.csv"));
  await waitFor(async () => expect((await textArea()).value).toBe("web-1\nweb-2"));
  expect(await screen.findByRole("button", { name: "Add 2 hosts" })).toBeDefined();
});

describe("a network with IPv4 and IPv6", () => {
  const both = { ...network, cidrs: ["100.100.0.0/22", "fd12::/64"], certVersion: 2 as const };
  const serveBoth = () =>
    serve()
      .on(listNetworksV2, () => page([both]))
      .on(getNetworkV2, () => both);

  it("assigns an IPv4 address to every host by default", async () => {
    const api = serveBoth();
    const rendered = open();
    await paste(rendered, "web-1\nweb-2,,,100.100.0.9\nweb-3,,,fd12::7");
    await screen.findByRole("checkbox", { name: "Assign IPv4 addresses" });
    await submit(rendered, "Add 3 hosts");
    expect(await screen.findByText("3 hosts added")).toBeDefined();
    expect(bodies(api).map(({ ipAddresses }) => ipAddresses)).toEqual([
      ["100.100.0.0/22"],
      ["100.100.0.9"],
      ["100.100.0.0/22", "fd12::7"],
    ]);
  });

  it("assigns IPv4 addresses only to rows that name one, if so chosen", async () => {
    const api = serveBoth();
    const rendered = open();
    await paste(rendered, "web-1\nweb-2,,,100.100.2.0/24 fd12::7");
    await rendered.user.click(await screen.findByRole("checkbox", { name: "Assign IPv4 addresses" }));
    await submit(rendered, "Add 2 hosts");
    expect(await screen.findByText("2 hosts added")).toBeDefined();
    expect(bodies(api).map(({ ipAddresses }) => ipAddresses)).toEqual([
      undefined,
      ["100.100.2.0/24", "fd12::7"],
    ]);
  });

  it("adds the other hosts if only the range of one row is full", async () => {
    const api = serveBoth().on(createHostAndEnrollmentCodeV2, ({ body }) => {
      if (body.name === "web-1") throw failure("ERR_NETWORK_FULLY_ALLOCATED");
      return addedHost(body.name);
    });
    const rendered = open();
    await paste(rendered, ["web-1,,,100.100.2.0/30", "b", "c", "d", "e", "f"].join("\n"));
    await screen.findByRole("checkbox", { name: "Assign IPv4 addresses" });
    await submit(rendered, "Add 6 hosts");
    expect(await screen.findByText("5 hosts added")).toBeDefined();
    expect(screen.getByText(/All addresses in this range are in use\./)).toBeDefined();
    expect(bodies(api)).toHaveLength(6);
  });
});

it("doesn’t offer IPv4 addresses in a network with one range", async () => {
  serve();
  const rendered = open();
  await paste(rendered, "web-1");
  await screen.findByText("Ready");
  expect(screen.queryByRole("checkbox", { name: "Assign IPv4 addresses" })).toBeNull();
});
