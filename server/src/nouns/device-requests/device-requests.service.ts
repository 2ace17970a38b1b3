/** Sign-ins for devices, and the devices among them that wait for an administrator. */
import { listDeviceRequests } from "@lightkeeper/contract";
import type { Insertable, Selectable, Updateable } from "kysely";
import { announce } from "../../infrastructure/changes/announce.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import type { UnauditedWriter, Writer } from "../../infrastructure/db/client.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";

export type EndpointRequest = Selectable<Tables["endpoint_auth_requests"]>;

export async function insertEndpointRequest(
  db: UnauditedWriter,
  request: Insertable<Tables["endpoint_auth_requests"]>,
): Promise<void> {
  await db.insertInto("endpoint_auth_requests").values(request).execute();
}

export async function markEndpointRequestStarted(
  db: UnauditedWriter,
  { poll_token_hash }: EndpointRequest,
): Promise<void> {
  await db
    .updateTable("endpoint_auth_requests")
    .set({ state: "STARTED" })
    .where("poll_token_hash", "=", poll_token_hash)
    .where("state", "=", "WAITING")
    .execute();
}

export async function updateEndpointRequest(
  tx: Writer,
  { poll_token_hash }: Pick<EndpointRequest, "poll_token_hash">,
  change: Updateable<Tables["endpoint_auth_requests"]>,
): Promise<void> {
  await tx
    .updateTable("endpoint_auth_requests")
    .set(change)
    .where("poll_token_hash", "=", poll_token_hash)
    .execute();
}

export async function deleteExpiredEndpointRequests({ unaudited }: Context, now: Date): Promise<void> {
  await unaudited.deleteFrom("endpoint_auth_requests").where("expires_at", "<=", now).execute();
}

export async function insertDeviceRequest(
  tx: Writer,
  request: Insertable<Tables["device_requests"]>,
): Promise<void> {
  await tx.insertInto("device_requests").values(request).execute();
}

export async function deleteDeviceRequest(tx: Writer, id: string): Promise<void> {
  await tx.deleteFrom("device_requests").where("id", "=", id).execute();
}

interface Person {
  issuer: string;
  subject: string;
}

/** Without a person, withdraws the requests of the whole organization. Waiting devices get "unknown request". */
export async function withdrawDeviceRequests(
  tx: Writer,
  organizationID: string,
  person?: Person,
): Promise<void> {
  const withdrawn = await tx
    .deleteFrom("endpoint_auth_requests")
    .where("poll_token_hash", "in", (eb) =>
      eb
        .selectFrom("device_requests")
        .select("poll_token_hash")
        .where("organization_id", "=", organizationID)
        .$if(person !== undefined, (query) =>
          query.where("issuer", "=", person?.issuer ?? "").where("subject", "=", person?.subject ?? ""),
        ),
    )
    .returning("poll_token_hash")
    .execute();
  if (withdrawn.length > 0) await announce(tx, { organizationID, noun: listDeviceRequests.noun });
}
