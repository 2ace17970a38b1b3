/** A removed person can neither sign in nor enroll devices until an owner readmits them. */
import { listDeviceRequests } from "@lightkeeper/contract";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { announce } from "../../infrastructure/changes/announce.ts";
import type { Identity } from "./claims.ts";
import { revokeSsoSessionsOf } from "./sso-sessions.service.ts";

type Person = Pick<Identity, "issuer" | "subject">;

interface SsoUser {
  organizationID: string;
  id: string;
}

export const removedPersonError = () =>
  new ApiError("ERR_OIDC_NOT_ALLOWED", {
    message: "this account was removed from the organization; ask an owner to readmit it",
  });

/** The caller has locked the organization, as a removal does, so that neither can happen during the other. */
export async function requireNotRemoved(
  db: Reader,
  organizationID: string,
  { issuer, subject }: Person,
): Promise<void> {
  const removed = await db
    .selectFrom("oidc_users")
    .select("id")
    .where("organization_id", "=", organizationID)
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .where("removed_at", "is not", null)
    .executeTakeFirst();
  if (removed) throw removedPersonError();
}

/** Ends the person's sessions and withdraws the devices that have not enrolled yet. */
export async function removeSsoUser(
  tx: Writer,
  { organizationID, id, now }: SsoUser & { now: Date },
): Promise<void> {
  const person = await tx
    .updateTable("oidc_users")
    .set({ removed_at: now })
    .where("organization_id", "=", organizationID)
    .where("id", "=", id)
    .returning(["issuer", "subject"])
    .executeTakeFirstOrThrow();
  await revokeSsoSessionsOf(tx, { organizationID, userID: id });
  await withdrawDevices(tx, organizationID, person);
}

/** For a person who leaves: unlike a removed one, they may sign in again. */
export async function deleteSsoUser(tx: Writer, { organizationID, id }: SsoUser): Promise<void> {
  await tx
    .deleteFrom("oidc_users")
    .where("organization_id", "=", organizationID)
    .where("id", "=", id)
    .execute();
}

export async function readmitSsoUser(tx: Writer, { organizationID, id }: SsoUser): Promise<void> {
  await tx
    .updateTable("oidc_users")
    .set({ removed_at: null })
    .where("organization_id", "=", organizationID)
    .where("id", "=", id)
    .execute();
}

/** Enrolled devices keep running until their sign-in expires. */
async function withdrawDevices(
  tx: Writer,
  organizationID: string,
  { issuer, subject }: Person,
): Promise<void> {
  await tx
    .deleteFrom("enrollment_codes")
    .where("host_id", "in", (eb) =>
      eb
        .selectFrom("hosts")
        .innerJoin("endpoint_users", "endpoint_users.id", "hosts.endpoint_oidc_user_id")
        .select("hosts.id")
        .where("hosts.organization_id", "=", organizationID)
        .where("endpoint_users.issuer", "=", issuer)
        .where("endpoint_users.subject", "=", subject),
    )
    .execute();
  await withdrawDeviceRequests(tx, organizationID, { issuer, subject });
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
