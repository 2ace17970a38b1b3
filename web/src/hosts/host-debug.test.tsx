import { listHostsV2, runHostCommand, type HostV2 } from "@lightkeeper/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { Outlet } from "react-router";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { enrolledHost, host } from "../testing/samples.ts";
import { failure, page, transport, type Transport } from "../testing/transport.ts";
import { HostDebug } from "./host-debug.tsx";

beforeEach(signIn);

const served = (): Transport => transport().on(listHostsV2, () => page([]));

const hostInput = () => screen.getByRole("combobox", { name: "Host" });

const database: HostV2 = { ...enrolledHost, name: "database", ipAddresses: ["100.100.0.12"] };

function open(one: HostV2 = enrolledHost) {
  return renderRoutes([
    { element: <Outlet context={one} />, children: [{ path: "/", element: <HostDebug /> }] },
    { path: "*", element: <p>Elsewhere</p> },
  ]);
}

it("runs a command on the host and shows the result as a table", async () => {
  const api = served().on(runHostCommand, () => ({
    vpnIp: "100.100.0.9",
    messageCounter: 12,
    currentRelaysToMe: [],
    currentRemote: { ip: "192.0.2.1", port: 4242 },
  }));
  const { user } = open();
  await user.type(hostInput(), " 100.100.0.9 {Enter}{Enter}");
  const result = within(await screen.findByRole("region", { name: "Result" }));
  expect(result.getByText("100.100.0.9")).toBeDefined();
  expect(result.getByText("12")).toBeDefined();
  expect(result.getByText("none")).toBeDefined();
  expect(result.getByText(/"port": 4242/)).toBeDefined();
  expect(result.getByRole("button", { name: "Copy result" })).toBeDefined();
  expect(api.calls(runHostCommand)[0]?.body).toEqual({
    command: "PrintTunnel",
    args: { target: "100.100.0.9" },
  });
});

it("offers to copy the addresses and fingerprints of a result, not its counts, durations and dates", async () => {
  served().on(runHostCommand, () => ({
    vpnIp: "100.100.0.9",
    remoteAddrs: ["192.0.2.1:4242", "[2001:db8::1]:4242"],
    fingerprint: "f1".repeat(32),
    messageCounter: 12_345_678,
    lastHandshake: "1h32m5s",
    notAfter: "2027-11-02T09:00:00Z",
    name: "facade",
    relays: [],
  }));
  const { user } = open();
  await user.type(hostInput(), "100.100.0.9{Enter}{Enter}");
  const result = within(await screen.findByRole("region", { name: "Result" }));
  const names = result
    .getAllByRole("button", { name: /^Copy / })
    .map((button) => button.getAttribute("aria-label"));
  expect(names).toEqual(["Copy result", "Copy vpnIp", "Copy remoteAddrs", "Copy fingerprint"]);
});

it("finds the other host by name and sends its address", async () => {
  const api = served()
    .on(listHostsV2, ({ query }) => page(query["filter.search"] === "data" ? [database] : []))
    .on(runHostCommand, () => "Created");
  const { user } = open();
  await user.type(hostInput(), "data");
  await user.click(await screen.findByRole("option", { name: /database/ }));
  expect(screen.getByDisplayValue("database (100.100.0.12)")).toBe(hostInput());
  await user.click(screen.getByRole("button", { name: "Run" }));
  await screen.findByRole("region", { name: "Result" });
  expect(api.calls(runHostCommand)[0]?.body).toEqual({
    command: "PrintTunnel",
    args: { target: "100.100.0.12" },
  });
  expect(api.calls(listHostsV2)[0]?.query["filter.networkID"]).toBe(enrolledHost.networkID);
});

it("chooses the typed address on Enter, also while hosts that don't match it are still listed", async () => {
  const api = served()
    .on(listHostsV2, () => page([database]))
    .on(runHostCommand, () => "Created");
  const { user } = open();
  await user.click(hostInput());
  await screen.findByRole("option", { name: /database/ });
  await user.type(hostInput(), "100.100.0.99{Enter}");
  await user.click(screen.getByRole("button", { name: "Run" }));
  await screen.findByRole("region", { name: "Result" });
  expect(api.calls(runHostCommand)[0]?.body).toEqual({
    command: "PrintTunnel",
    args: { target: "100.100.0.99" },
  });
});

describe("with IPv6", () => {
  const both: HostV2 = { ...enrolledHost, ipAddresses: ["100.100.0.7", "fd12::7"] };
  const ipv6Only: HostV2 = { ...enrolledHost, ipAddresses: ["fd12::7"] };
  const cache: HostV2 = { ...enrolledHost, name: "cache", ipAddresses: ["100.100.0.12", "fd12::12"] };

  async function runFor(typed: string, from: HostV2) {
    const api = served()
      .on(listHostsV2, () => page([cache]))
      .on(runHostCommand, () => "Created");
    const { user } = open(from);
    await user.type(hostInput(), typed);
    await user.click(await screen.findByRole("option", { name: /cache/ }));
    await user.click(screen.getByRole("button", { name: "Run" }));
    await screen.findByRole("region", { name: "Result" });
    return api.calls(runHostCommand)[0]?.body;
  }

  it.each([
    ["the first address of the other host", "cache", both, "100.100.0.12"],
    ["an address of a family that the host has", "cache", ipv6Only, "fd12::12"],
    ["the typed address of the other host", "FD12:0::12", both, "fd12::12"],
  ])("sends %s", async (_, typed, from, target) => {
    expect(await runFor(typed, from)).toEqual({ command: "PrintTunnel", args: { target } });
  });

  it("sends the address of no known host in its canonical form", async () => {
    const api = served().on(runHostCommand, () => "Created");
    const { user } = open(both);
    await user.type(hostInput(), "FD12:0::99{Enter}");
    await user.click(screen.getByRole("button", { name: "Run" }));
    await screen.findByRole("region", { name: "Result" });
    expect(api.calls(runHostCommand)[0]?.body).toMatchObject({ args: { target: "fd12::99" } });
  });
});

it("asks for a host before it runs a command that needs one", async () => {
  const api = served();
  const { user } = open();
  await user.click(screen.getByRole("button", { name: "Run" }));
  expect(screen.getByText("Choose a host or enter an overlay address.")).toBeDefined();
  expect(api.calls(runHostCommand)).toEqual([]);
});

it.each([
  ["Show certificate (PrintCert)", "PrintCert"],
  ["Query lighthouse (QueryLighthouse)", "QueryLighthouse"],
  ["Create tunnel (CreateTunnel)", "CreateTunnel"],
])("offers: %s", async (label, command) => {
  const api = served().on(runHostCommand, () => "Created");
  const { user } = open();
  await user.selectOptions(screen.getByRole("combobox", { name: "Command" }), label);
  await user.type(hostInput(), "100.100.0.1");
  await user.click(screen.getByRole("button", { name: "Run" }));
  expect((await screen.findByRole("region", { name: "Result" })).textContent).toContain("Created");
  expect(api.calls(runHostCommand)[0]?.body).toEqual({ command, args: { target: "100.100.0.1" } });
});

it("dumps the stack without an address", async () => {
  const api = served().on(runHostCommand, () => "goroutine 1");
  const { user } = open();
  await user.selectOptions(screen.getByRole("combobox", { name: "Command" }), "Dump stack (DebugStack)");
  expect(screen.queryByRole("combobox", { name: "Host" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Run" }));
  expect(await screen.findByText("goroutine 1")).toBeDefined();
  expect(api.calls(runHostCommand)[0]?.body).toEqual({ command: "DebugStack" });
});

it.each([
  [
    "ERR_HOST_OFFLINE",
    undefined,
    "The host didn’t respond. Check that it’s on and that its agent is running.",
  ],
  ["ERR_HOST_NOT_ENROLLED", undefined, "This host isn’t enrolled, so it can’t run commands."],
  ["ERR_INVALID_VALUE", "args.target", "Enter an overlay address, such as 100.100.0.2 or fd12:3456:789a::2."],
] as const)("explains %s", async (code, path, message) => {
  served().on(runHostCommand, () => {
    throw failure(code, { path: path ?? null });
  });
  const { user } = open();
  await user.type(hostInput(), "100.100.0.9");
  await user.click(screen.getByRole("button", { name: "Run" }));
  expect((await screen.findByRole("alert")).textContent).toBe(message);
});

it("says up front that the host can’t run commands", () => {
  served();
  const first = open(host);
  expect(screen.getByText(/isn’t enrolled/).textContent).toContain("Enroll it first");
  first.unmount();
  open({ ...enrolledHost, isBlocked: true });
  expect(screen.getByRole("link", { name: "Unblock it" }).getAttribute("href")).toBe(
    `/hosts/${host.id}/unblock`,
  );
});

/** A stream the test writes to. */
function streamed() {
  let to!: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({ start: (controller) => void (to = controller) });
  const api = served().on(runHostCommand, ({ signal }) => {
    signal?.addEventListener("abort", () => to.error(signal.reason));
    // StreamLogs returns lines, not the envelope of the other commands.
    return new Response(body);
  });
  return {
    api,
    write: (text: string) => to.enqueue(new TextEncoder().encode(text)),
    end: () => to.close(),
  };
}

const line = (level: string, msg: string, more: object = {}) =>
  `${JSON.stringify({ data: JSON.stringify({ level, msg, time: "2026-11-15T08:00:01.123456Z", ...more }) })}\n`;

it("shows the log while it is written, filters it and stops it", async () => {
  const { api, write } = streamed();
  const { user } = open();
  await user.selectOptions(screen.getByRole("combobox", { name: "Level" }), "debug");
  await user.selectOptions(screen.getByRole("combobox", { name: "Duration" }), "1 minute");
  await user.click(screen.getByRole("button", { name: "Start" }));
  const log = screen.getByRole("log");
  expect(log.textContent).toBe("Waiting for the first line…");
  const handshake = line("info", "Handshake message sent", { vpnIp: "100.100.0.9" });
  write(handshake.slice(0, 20));
  write(handshake.slice(20) + line("error", "no route") + "plain text\n");
  expect(await within(log).findByText(/Handshake message sent/)).toBeDefined();
  expect(log.textContent).toContain("08:00:01.123Z info Handshake message sent vpnIp=100.100.0.9");
  expect(log.textContent).toContain("plain text");
  expect(screen.getByText("3 lines")).toBeDefined();
  expect(api.calls(runHostCommand)[0]?.body).toEqual({
    command: "StreamLogs",
    args: { durationSeconds: 60, level: "debug" },
  });

  await user.type(screen.getByRole("textbox", { name: "Filter" }), "ROUTE");
  expect(log.textContent).not.toContain("Handshake");
  expect(screen.getByText("3 lines, 1 line shown")).toBeDefined();

  await user.click(screen.getByRole("button", { name: "Stop" }));
  expect(await screen.findByRole("button", { name: "Start" })).toBeDefined();
  expect(screen.queryByRole("alert")).toBeNull();
  await user.click(screen.getByRole("button", { name: "Clear" }));
  expect(screen.getByText(/^0 lines/)).toBeDefined();
});

it("keeps 5,000 lines and renders 500", async () => {
  const { write, end } = streamed();
  const { user } = open();
  await user.click(screen.getByRole("button", { name: "Start" }));
  write(Array.from({ length: 6000 }, (_, number) => line("info", `line ${number}`)).join(""));
  end();
  expect(await screen.findByText("5,000 lines")).toBeDefined();
  const log = screen.getByRole("log");
  await waitFor(() => expect(log.textContent).toContain("line 5999"));
  expect(log.children).toHaveLength(500);
  expect(await screen.findByRole("button", { name: "Start" })).toBeDefined();
});

it("says what to do if too many log streams are open", async () => {
  served().on(runHostCommand, () => {
    throw failure("ERR_TOO_MANY_REQUESTS", { message: "this host already has 3 log streams" });
  });
  const { user } = open();
  await user.click(screen.getByRole("button", { name: "Start" }));
  expect((await screen.findByRole("alert")).textContent).toBe(
    "Too many log streams are open. Stop one, or try again in a minute.",
  );
});

it("explains why there is no log", async () => {
  served().on(runHostCommand, () => {
    throw failure("ERR_HOST_OFFLINE");
  });
  const { user } = open();
  await user.click(screen.getByRole("button", { name: "Start" }));
  expect((await screen.findByRole("alert")).textContent).toContain("The host didn’t respond");
});
