import {
  approveDeviceRequest,
  type DeviceRequest,
  listDeviceRequests,
  rejectDeviceRequest,
} from "@lightkeeper/contract";
import { screen, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { brokenGuarantee } from "../testing/preview-samples.ts";
import { renderPage, signIn } from "../testing/render.tsx";
import { failure, transport } from "../testing/transport.ts";
import { DeviceRequestsCard } from "./device-requests-card.tsx";

beforeEach(signIn);

const request: DeviceRequest = {
  id: `devicerequest-${"A".repeat(26)}`,
  email: "ada@example.com",
  verificationCode: "BCDF-GHJK",
  address: "192.0.2.7",
  createdAt: "2026-11-01T09:00:00Z",
  expiresAt: "2099-11-01T09:00:00Z",
};
const PATH = "/settings/sso";
const open = ({ isRequired = true, canDecide = true } = {}) =>
  renderPage(<DeviceRequestsCard isRequired={isRequired} canDecide={canDecide} />, { route: PATH, at: PATH });

it("lists the devices with what an administrator compares, and approves one", async () => {
  let pending = [request];
  const api = transport()
    .on(listDeviceRequests, () => pending)
    .on(approveDeviceRequest, () => {
      pending = [];
      return { hostID: `host-${"A".repeat(26)}`, name: "ada-1" };
    });
  const { user } = open();
  const row = within(await screen.findByRole("listitem", { name: request.email }));
  expect(row.getByText("BCDF-GHJK")).toBeDefined();
  expect(row.getByText(/192\.0\.2\.7/)).toBeDefined();
  await user.click(row.getByRole("button", { name: "Approve the device of ada@example.com" }));
  expect(await screen.findByText("Device of ada@example.com approved")).toBeDefined();
  expect(api.calls(approveDeviceRequest)[0]?.params).toEqual({ deviceRequestID: request.id });
  expect(await screen.findByText("No devices are waiting")).toBeDefined();
});

it("rejects a device, and fetches the list again when someone else decided first", async () => {
  const api = transport()
    .on(listDeviceRequests, () => [request])
    .on(rejectDeviceRequest, () => ({}))
    .on(approveDeviceRequest, () => {
      throw failure("ERR_NETWORK_FULLY_ALLOCATED");
    });
  const { user } = open();
  await user.click(await screen.findByRole("button", { name: /^Reject/ }));
  expect(await screen.findByText("Device of ada@example.com rejected")).toBeDefined();
  const asked = api.calls(listDeviceRequests).length;
  await user.click(screen.getByRole("button", { name: /^Approve/ }));
  expect(await screen.findByText(/has no free address/)).toBeDefined();
  await vi.waitFor(() => expect(api.calls(listDeviceRequests).length).toBeGreaterThan(asked));
});

it("explains which guarantee a device would break", async () => {
  transport()
    .on(listDeviceRequests, () => [request])
    .on(approveDeviceRequest, () => {
      throw failure("ERR_GUARANTEE_VIOLATED", { extra: { guarantees: [brokenGuarantee] } });
    });
  const { user } = open();
  await user.click(await screen.findByRole("button", { name: /^Approve/ }));
  const row = within(await screen.findByRole("listitem", { name: request.email }));
  expect((await row.findByRole("alert")).textContent).toMatch(
    /^Breaks the guarantee Contractors must never reach databases: ci-1 could reach db-1 on TCP 5432/,
  );
  expect(row.getByRole("link").getAttribute("href")).toBe(`/guarantees/${brokenGuarantee.id}/edit`);
});

it("is hidden while approval isn't required and nothing waits, and read-only for auditors", async () => {
  const api = transport().on(listDeviceRequests, () => []);
  const { unmount } = open({ isRequired: false });
  await vi.waitFor(() => expect(api.calls(listDeviceRequests)).toHaveLength(1));
  expect(screen.queryByRole("region", { name: "Devices waiting for approval" })).toBeNull();
  unmount();
  api.on(listDeviceRequests, () => [request]);
  open({ canDecide: false });
  const row = within(await screen.findByRole("listitem", { name: request.email }));
  expect(row.queryByRole("button")).toBeNull();
});
