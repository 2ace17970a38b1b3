import { listNetworksV2, whoami } from "@lightkeeper/contract";
import { act, cleanup, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { formatClock } from "../lib/format.ts";
import { queryClient, useRead } from "../lib/query.ts";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { network, user } from "../testing/samples.ts";
import { failure, page, transport, unreachable, type Transport } from "../testing/transport.ts";
import { ConnectionBanner, OUTAGE_AFTER_MS, PROBE_MS, WithConnectionBanner } from "./connection-banner.tsx";

function Networks() {
  const { data } = useRead(listNetworksV2);
  return (
    <>
      <ConnectionBanner />
      <ul>
        {data?.data.map(({ name }) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
    </>
  );
}

let server: Transport;
let respondedAt: Date;
const advance = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const banner = () => screen.queryByRole("status");

beforeEach(async () => {
  vi.useFakeTimers();
  signIn();
  server = transport()
    .on(whoami, () => user)
    .on(listNetworksV2, () => page([network]));
  renderRoutes([{ path: "/", Component: Networks }]);
  await advance(0);
  respondedAt = new Date();
});
afterEach(() => vi.useRealTimers());

async function goDown(error: Error) {
  const fail = () => {
    throw error;
  };
  server.on(whoami, fail).on(listNetworksV2, fail);
  await advance(120_000);
  act(() => void queryClient.invalidateQueries());
  await advance(OUTAGE_AFTER_MS);
}

it.each([unreachable(), failure("ERR_UNAVAILABLE")])(
  "keeps the last data on screen and shows its time while the API is down",
  async (error) => {
    await goDown(error);
    expect(screen.getByText("Production")).toBeTruthy();
    expect(banner()?.textContent).toBe(
      `Can’t reach Lightkeeper. Showing data from ${formatClock(respondedAt)}. Retrying…`,
    );
    server.on(whoami, () => user).on(listNetworksV2, () => page([network]));
    await advance(PROBE_MS);
  },
);

it("recovers with fresh data, without a reload", async () => {
  await goDown(unreachable());
  server.on(whoami, () => user).on(listNetworksV2, () => page([{ ...network, name: "Renamed" }]));
  await advance(PROBE_MS + 100);
  expect(banner()).toBeNull();
  expect(screen.getByText("Renamed")).toBeTruthy();
});

it("retries immediately when the network is back", async () => {
  await goDown(unreachable());
  server.on(whoami, () => user).on(listNetworksV2, () => page([network]));
  act(() => void window.dispatchEvent(new Event("online")));
  await advance(100);
  expect(banner()).toBeNull();
});

it("is shown above pages without the main layout", async () => {
  cleanup();
  function GetStarted() {
    useRead(listNetworksV2);
    return <h1>Get started</h1>;
  }
  renderRoutes([{ Component: WithConnectionBanner, children: [{ path: "/", Component: GetStarted }] }]);
  await goDown(unreachable());
  expect(screen.getByRole("heading", { name: "Get started" })).toBeTruthy();
  expect(banner()).not.toBeNull();
  server.on(whoami, () => user).on(listNetworksV2, () => page([network]));
  await advance(PROBE_MS);
});

it("isn't shown for a single lost call", async () => {
  let lost = 0;
  server.on(listNetworksV2, () => {
    if (lost++ === 0) throw unreachable();
    return page([network]);
  });
  act(() => void queryClient.invalidateQueries());
  await advance(OUTAGE_AFTER_MS);
  expect(banner()).toBeNull();
});
