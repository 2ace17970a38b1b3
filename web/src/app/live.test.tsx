import {
  getNetworkUpgrade,
  getNetworkV2,
  listNetworksV2,
  streamEvents,
  whoami,
  type Change,
} from "@lightkeeper/contract";
import { screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { NetworkEditPage } from "../networks/network-edit-page.tsx";
import { NetworksPage } from "../networks/networks-page.tsx";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { network, user } from "../testing/samples.ts";
import { page, transport, type Transport } from "../testing/transport.ts";
import { Live } from "./live.tsx";
import { MainLayout } from "./main-layout.tsx";

/** Half a second is a batch and an answer; what takes longer than this on a busy machine is lost, not late. */
const SOON = { timeout: 10_000 };

const other = { ...network, id: `network-${"B".repeat(26)}`, name: "Staging" };

let server: Transport;
let tell: (change: Change) => void;

beforeEach(() => {
  signIn();
  vi.stubGlobal("matchMedia", () => new EventTarget());
});

function show(at: string) {
  server = transport()
    .on(whoami, () => user)
    .on(listNetworksV2, () => page([network]))
    .on(getNetworkV2, () => network)
    .on(getNetworkUpgrade, () => null)
    .on(streamEvents, () => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          tell = (change) =>
            controller.enqueue(
              new TextEncoder().encode(`event: change\ndata: ${JSON.stringify(change)}\n\n`),
            );
        },
      });
      return new Response(body);
    });
  const children = [
    { path: "/settings/networks", element: <NetworksPage /> },
    { path: "/settings/networks/:networkID", element: <NetworkEditPage /> },
    { path: "*", element: <h1>Elsewhere</h1> },
  ];
  return renderRoutes([{ Component: Live, children: [{ Component: MainLayout, children }] }], at);
}

it("shows what someone else created, and keeps the focus", async () => {
  show("/settings/networks");
  const link = await screen.findByRole("link", { name: "Production" });
  link.focus();
  server.on(listNetworksV2, () => page([{ ...network, hostCount: 12 }, other]));
  tell({ noun: "networks", id: other.id });
  expect(await screen.findByRole("link", { name: "Staging" }, SOON)).toBeDefined();
  expect(document.activeElement).toBe(link);
  expect(link.isConnected).toBe(true);
});

it("keeps a menu open while the page behind it changes", async () => {
  const { user: person } = show("/settings/networks");
  await person.click(await screen.findByRole("button", { name: "Actions for Production" }));
  const menu = await screen.findByRole("menu");
  server.on(listNetworksV2, () => page([network, other]));
  tell({ noun: "networks" });
  await waitFor(() => expect(screen.getByText("Staging")).toBeDefined(), SOON);
  expect(screen.getByRole("menu")).toBe(menu);
});

it("keeps typed values, focus and cursor, and shows what changed", async () => {
  const { user: person } = show(`/settings/networks/${network.id}`);
  const input = await screen.findByLabelText<HTMLInputElement>("Name");
  await person.type(input, " EU");
  input.setSelectionRange(3, 5);
  server.on(getNetworkV2, () => ({ ...network, description: "By someone else" }));
  tell({ noun: "networks", id: network.id });
  expect(await screen.findByText(/^This network was changed by someone else/, undefined, SOON)).toBeDefined();
  expect(input.value).toBe("Production EU");
  expect(document.activeElement).toBe(input);
  expect([input.selectionStart, input.selectionEnd]).toEqual([3, 5]);
});

it("keeps one stream open across navigations", async () => {
  const { router } = show("/settings/networks");
  await screen.findByRole("link", { name: "Production" });
  await router.navigate("/elsewhere");
  expect(await screen.findByRole("heading", { name: "Elsewhere" })).toBeDefined();
  expect(server.calls(streamEvents)).toHaveLength(1);
});
