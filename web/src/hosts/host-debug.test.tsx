import { getHostState, runHostCommand, type HostV2 } from "@lightkeeper/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { Outlet } from "react-router";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { enrolledHost, host } from "../testing/samples.ts";
import { failure, transport, type Transport } from "../testing/transport.ts";
import { HostDebug } from "./host-debug.tsx";

beforeEach(signIn);

const never = () => new Promise<never>(() => undefined);
const served = (): Transport => transport().on(getHostState, never);

function open(one: HostV2 = enrolledHost) {
  return renderRoutes([
    { element: <Outlet context={one} />, children: [{ path: "/", element: <HostDebug /> }] },
    { path: "*", element: <p>Elsewhere</p> },
  ]);
}

it("asks the host about a tunnel and shows the answer as a table", async () => {
  const api = served().on(runHostCommand, () => ({
    vpnIp: "100.100.0.9",
    messageCounter: 12,
    currentRelaysToMe: [],
    currentRemote: { ip: "192.0.2.1", port: 4242 },
  }));
  const { user } = open();
  await user.type(screen.getByRole("combobox", { name: "Address" }), " 100.100.0.9 {Enter}");
  const answer = within(await screen.findByRole("region", { name: "Answer" }));
  expect(answer.getByText("100.100.0.9")).toBeDefined();
  expect(answer.getByText("12")).toBeDefined();
  expect(answer.getByText("none")).toBeDefined();
  expect(answer.getByText(/"port": 4242/)).toBeDefined();
  expect(answer.getByRole("button", { name: "Copy answer" })).toBeDefined();
  expect(api.calls(runHostCommand)[0]?.body).toEqual({
    command: "PrintTunnel",
    args: { target: "100.100.0.9" },
  });
});

it("offers to copy the addresses and fingerprints of an answer, not its counts, durations and dates", async () => {
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
  await user.type(screen.getByRole("combobox", { name: "Address" }), "100.100.0.9{Enter}");
  const answer = within(await screen.findByRole("region", { name: "Answer" }));
  const names = answer
    .getAllByRole("button", { name: /^Copy / })
    .map((button) => button.getAttribute("aria-label"));
  expect(names).toEqual(["Copy answer", "Copy vpnIp", "Copy remoteAddrs", "Copy fingerprint"]);
});

it.each([
  ["Show a certificate", "PrintCert"],
  ["Ask a lighthouse", "QueryLighthouse"],
  ["Make a tunnel", "CreateTunnel"],
])("offers: %s", async (label, command) => {
  const api = served().on(runHostCommand, () => "Created");
  const { user } = open();
  await user.selectOptions(screen.getByRole("combobox", { name: "Command" }), label);
  await user.type(screen.getByRole("combobox", { name: "Address" }), "100.100.0.1");
  await user.click(screen.getByRole("button", { name: label }));
  expect((await screen.findByRole("region", { name: "Answer" })).textContent).toContain("Created");
  expect(api.calls(runHostCommand)[0]?.body).toEqual({ command, args: { target: "100.100.0.1" } });
});

it("dumps the stack without asking for an address", async () => {
  const api = served().on(runHostCommand, () => "goroutine 1");
  const { user } = open();
  await user.selectOptions(screen.getByRole("combobox", { name: "Command" }), "Dump the stack");
  expect(screen.queryByRole("combobox", { name: "Address" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Dump the stack" }));
  expect(await screen.findByText("goroutine 1")).toBeDefined();
  expect(api.calls(runHostCommand)[0]?.body).toEqual({ command: "DebugStack" });
});

it.each([
  ["ERR_HOST_OFFLINE", undefined, "The host did not answer. Is it on, and is its agent running?"],
  ["ERR_HOST_NOT_ENROLLED", undefined, "The host has never enrolled, so there is nobody to ask."],
  ["ERR_INVALID_VALUE", "args.target", "Give an address of the network, like 100.100.0.2."],
] as const)("says %s in words", async (code, path, words) => {
  served().on(runHostCommand, () => {
    throw failure(code, { path: path ?? null });
  });
  const { user } = open();
  await user.click(screen.getByRole("button", { name: "Show a tunnel" }));
  expect((await screen.findByRole("alert")).textContent).toBe(words);
});

it("says beforehand that nobody will answer", () => {
  served();
  const first = open(host);
  expect(screen.getByText(/never enrolled/).textContent).toContain("Enroll it first");
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
    // StreamLogs answers with lines, not with the envelope of the other commands.
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

it("shows the log as it is written, narrows it, and stops when told", async () => {
  const { api, write } = streamed();
  const { user } = open();
  await user.selectOptions(screen.getByRole("combobox", { name: "Level" }), "debug");
  await user.selectOptions(screen.getByRole("combobox", { name: "For" }), "1 minute");
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

  await user.type(screen.getByRole("textbox", { name: "Show only lines with" }), "ROUTE");
  expect(log.textContent).not.toContain("Handshake");
  expect(screen.getByText("3 lines, 1 line shown")).toBeDefined();

  await user.click(screen.getByRole("button", { name: "Stop" }));
  expect(await screen.findByRole("button", { name: "Start" })).toBeDefined();
  expect(screen.queryByRole("alert")).toBeNull();
  await user.click(screen.getByRole("button", { name: "Clear" }));
  expect(screen.getByText(/^0 lines/)).toBeDefined();
});

it("keeps no more lines than it says, and draws fewer", async () => {
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

it("says what to do when too many logs are open", async () => {
  served().on(runHostCommand, () => {
    throw failure("ERR_TOO_MANY_REQUESTS", { message: "this host already has 3 log streams" });
  });
  const { user } = open();
  await user.click(screen.getByRole("button", { name: "Start" }));
  expect((await screen.findByRole("alert")).textContent).toBe(
    "Too many log streams are open. Stop one, or try again in a minute.",
  );
});

it("says why there is no log", async () => {
  served().on(runHostCommand, () => {
    throw failure("ERR_HOST_OFFLINE");
  });
  const { user } = open();
  await user.click(screen.getByRole("button", { name: "Start" }));
  expect((await screen.findByRole("alert")).textContent).toContain("The host did not answer");
});
