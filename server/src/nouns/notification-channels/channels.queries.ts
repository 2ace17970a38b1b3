import type { NotificationDelivery } from "@lightkeeper/contract";
import type { Selectable } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";
import { countRows, oldestFirst, type Page, page, type PageRequest } from "../../infrastructure/db/pages.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";

export type ChannelRow = Selectable<Tables["notification_channels"]>;

export interface ChannelState {
  failing_since: Date | null;
  audit_sequence: number | null;
  last_id: string | null;
  last_state: NotificationDelivery["state"] | null;
  last_created_at: Date | null;
}
export type ChannelWithState = ChannelRow & ChannelState;

const ofOrganization = (db: Reader, organizationID: string) =>
  db.selectFrom("notification_channels").selectAll().where("organization_id", "=", organizationID);

const withStates = (db: Reader, organizationID: string) =>
  db
    .selectFrom("notification_channels")
    .leftJoin("notification_channel_states as states", "states.channel_id", "notification_channels.id")
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom("notification_deliveries")
          .select(["id as last_id", "state as last_state", "created_at as last_created_at"])
          .whereRef("channel_id", "=", "notification_channels.id")
          .orderBy("created_at", "desc")
          .orderBy("id", "desc")
          .limit(1)
          .as("last"),
      (join) => join.onTrue(),
    )
    .selectAll("notification_channels")
    .select(["states.failing_since", "states.audit_sequence", "last_id", "last_state", "last_created_at"])
    .where("notification_channels.organization_id", "=", organizationID);

export function listChannels(
  db: Reader,
  organizationID: string,
  request: PageRequest,
): Promise<Page<ChannelWithState>> {
  const channels = db
    .selectFrom(withStates(db, organizationID).as("notification_channels"))
    .selectAll("notification_channels");
  return page(channels, oldestFirst<ChannelWithState>(), request, () => countChannels(db, organizationID));
}

export function findChannel(
  db: Reader,
  organizationID: string,
  id: string,
): Promise<ChannelWithState | undefined> {
  return withStates(db, organizationID).where("notification_channels.id", "=", id).executeTakeFirst();
}

export const countChannels = (db: Reader, organizationID: string): Promise<number> =>
  countRows(ofOrganization(db, organizationID));
