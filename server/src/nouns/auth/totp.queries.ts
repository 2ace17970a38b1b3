import type { Selectable } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";

export type AuthenticatorRow = Selectable<Tables["totp_authenticators"]>;

const ofUser = (db: Reader, organizationID: string, userID: string) =>
  db
    .selectFrom("totp_authenticators")
    .selectAll()
    .where("organization_id", "=", organizationID)
    .where("user_id", "=", userID);

export const listAuthenticators = (db: Reader, organizationID: string, userID: string) =>
  ofUser(db, organizationID, userID).orderBy("created_at").orderBy("id").execute();

export const findAuthenticator = (db: Reader, organizationID: string, userID: string, id: string) =>
  ofUser(db, organizationID, userID).where("id", "=", id).executeTakeFirst();
