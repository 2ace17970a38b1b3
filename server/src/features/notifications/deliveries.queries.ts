import type { NotificationDelivery } from "@lightkeeper/contract";
import type { Reader } from "../../infrastructure/db/client.ts";
import { countRows, oldestFirst, type Page, page, type PageRequest } from "../../infrastructure/db/pages.ts";
import type { DeliveryRow } from "./insert-delivery.ts";

const ofOrganization = (db: Reader, organizationID: string) =>
  db.selectFrom("notification_deliveries").selectAll().where("organization_id", "=", organizationID);

interface DeliveryFilter {
  channelID: string;
  state: NotificationDelivery["state"] | undefined;
}

export function listDeliveries(
  db: Reader,
  organizationID: string,
  { channelID, state }: DeliveryFilter,
  request: PageRequest,
): Promise<Page<DeliveryRow>> {
  const all = ofOrganization(db, organizationID).where("channel_id", "=", channelID);
  const deliveries = state === undefined ? all : all.where("state", "=", state);
  const newestFirst = { ...oldestFirst<DeliveryRow>(), descending: true };
  return page(deliveries, newestFirst, request, () => countRows(deliveries));
}

export const findDelivery = (
  db: Reader,
  organizationID: string,
  id: string,
): Promise<DeliveryRow | undefined> =>
  ofOrganization(db, organizationID).where("id", "=", id).executeTakeFirst();

export const findChannel = (db: Reader, organizationID: string, id: string) =>
  db
    .selectFrom("notification_channels")
    .select(["id", "type", "name"])
    .where("organization_id", "=", organizationID)
    .where("id", "=", id)
    .executeTakeFirst();
