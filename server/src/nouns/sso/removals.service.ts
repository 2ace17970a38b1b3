/** A removed person can neither sign in nor enroll devices until an owner readmits them. */
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { withdrawDeviceRequests } from "../device-requests/device-requests.service.ts";
import { deleteEnrollmentCodesOfPerson } from "../enrollment-codes/enrollment-codes.service.ts";
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
  // Enrolled devices keep running until their sign-in expires.
  await deleteEnrollmentCodesOfPerson(tx, { organizationID, ...person });
  await withdrawDeviceRequests(tx, organizationID, person);
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
