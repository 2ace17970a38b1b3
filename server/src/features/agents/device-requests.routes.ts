import * as contract from "@lightkeeper/contract";
import type { DeviceRequest } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { authorOf } from "../../infrastructure/http/actor.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import {
  approveDevice,
  type DeviceRequestRow,
  listDeviceRequests,
  rejectDevice,
} from "./device-requests.service.ts";
import { retryNameConflicts } from "./endpoint-devices.service.ts";

const toRequest = (row: DeviceRequestRow): DeviceRequest => ({
  id: row.id,
  email: row.email,
  verificationCode: row.verification_code,
  address: row.address,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
});

export function serveDeviceRequests(routes: Routes, ctx: Context): void {
  routes.read(contract.listDeviceRequests, async ({ person, now }) =>
    (await listDeviceRequests(ctx.reader, person.organization.id, now)).map(toRequest),
  );
  // Each attempt is a transaction of its own.
  routes.writeUnaudited(contract.approveDeviceRequest, ({ person, params, ip, now }) => {
    const decision = { author: authorOf(person), id: params.deviceRequestID, now };
    return retryNameConflicts(() => ctx.audited((tx) => approveDevice(ctx, tx, decision), { address: ip }));
  });
  routes.write(contract.rejectDeviceRequest, ({ person, params, now }, tx) =>
    rejectDevice(tx, { author: authorOf(person), id: params.deviceRequestID, now }),
  );
}
