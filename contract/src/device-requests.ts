/** Devices whose owner has signed in and that wait for an administrator's approval. */
import * as z from "zod/mini";
import { access, data, endpoint } from "./endpoint.ts";
import { Empty, id, instant } from "./fields.ts";

const noun = "device-requests";

export const DeviceRequest = z.strictObject({
  id: id("devicerequest"),
  /** Who signed in. */
  email: z.string(),
  /** The code that the device shows. */
  verificationCode: z.string(),
  /** The IP address that the person signed in from. */
  address: z.string(),
  createdAt: instant(),
  expiresAt: instant(),
});
export type DeviceRequest = z.output<typeof DeviceRequest>;

export const listDeviceRequests = endpoint({
  method: "GET",
  path: "/v1/device-requests",
  noun,
  summary: "List the devices that wait for approval, oldest first",
  access: access.session,
  response: data(z.array(DeviceRequest)),
});

export const approveDeviceRequest = endpoint({
  method: "POST",
  path: "/v1/device-requests/{deviceRequestID}/approve",
  noun,
  summary: "Approve a device: it gets a host and an enrollment code",
  access: access.session,
  response: data(z.strictObject({ hostID: id("host"), name: z.string() })),
  errors: [
    "ERR_OIDC_NOT_CONFIGURED",
    "ERR_OIDC_NOT_ALLOWED",
    "ERR_LIMIT_EXCEEDED",
    "ERR_NETWORK_FULLY_ALLOCATED",
    "ERR_GUARANTEE_VIOLATED",
  ],
});

export const rejectDeviceRequest = endpoint({
  method: "POST",
  path: "/v1/device-requests/{deviceRequestID}/reject",
  noun,
  summary: "Reject a device",
  access: access.session,
  response: data(Empty),
});
