/**
 * Row locks, which last until the transaction ends. Nothing else waits for the lock of another request, so that the
 * order is the same everywhere. Queries with SKIP LOCKED never wait, so they don't have to be here.
 */
import { type RawBuilder, sql } from "kysely";
import type { UnauditedWriter, Writer } from "./client.ts";
import { allowAnyLockOrder } from "./lock-order.ts";
import {
  byKeys,
  inOrganization,
  type Keys,
  type Lock,
  type Locker,
  lockOne,
  lockRows,
  type Strength,
} from "./lock-rows.ts";

/** PostgreSQL looks for deadlocks after a second, so a transaction that gives up earlier is never the reason for one. */
const LOCK_TIMEOUT_MS = 500;

/** The transaction may lock rows in any order, and fails if it has to wait. For changes that are rolled back anyway. */
export async function limitLockWaits(tx: Writer): Promise<void> {
  allowAnyLockOrder(tx);
  await sql`select set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true)`.execute(tx);
}

const organization = (strength: Strength, id: string): Lock<"organizations"> => ({
  table: "organizations",
  strength,
  keys: [id],
  where: sql`id = ${id}`,
});

/** Serializes the changes that an organization makes one at a time. */
export const lockOrganizationForNoKeyUpdate = (tx: Writer, id: string) =>
  lockOne(tx, organization("no key update", id));

/** Prevents the deletion of the organization. */
export const lockOrganizationForKeyShare = (tx: UnauditedWriter, id: string) =>
  lockOne(tx, organization("key share", id));

export const lockOrganizationForUpdate = (tx: Writer, id: string) => lockOne(tx, organization("update", id));

export const lockUserForNoKeyUpdate = (tx: Writer, id: string) =>
  lockOne(tx, { table: "users", strength: "no key update", keys: [id], where: sql`id = ${id}` });

/** Prevents changes of the provider. */
export const lockOidcProviderForShare = (tx: Writer, organizationID: string) =>
  lockOne(tx, {
    table: "oidc_providers",
    strength: "share",
    keys: undefined,
    where: inOrganization(organizationID),
  });

export const lockOidcUserForUpdate = (
  tx: Writer,
  organizationID: string,
  { issuer, subject }: { issuer: string; subject: string },
) =>
  lockOne(tx, {
    table: "oidc_users",
    strength: "update",
    keys: undefined,
    where: sql`${inOrganization(organizationID)} and issuer = ${issuer} and subject = ${subject}`,
  });

export const lockApiKeyForUpdate = (tx: Writer, organizationID: string, id: string) =>
  lockOne(tx, byKeys("api_keys", "update", organizationID, [id]));

export const lockTotpSetupForUpdate = (tx: Writer, tokenHash: Buffer) =>
  lockOne(tx, {
    table: "totp_setups",
    strength: "update",
    keys: undefined,
    where: sql`token_hash = ${tokenHash}`,
  });

export const lockEndpointAuthRequestForUpdate = (tx: Writer, pollTokenHash: Buffer) =>
  lockOne(tx, {
    table: "endpoint_auth_requests",
    strength: "update",
    keys: undefined,
    where: sql`poll_token_hash = ${pollTokenHash}`,
  });

export const lockDeviceRequestForUpdate = (tx: Writer, organizationID: string, id: string) =>
  lockOne(tx, byKeys("device_requests", "update", organizationID, [id]));

/** Prevents the deletion of the tags. */
export const lockTagsForKeyShare = (tx: Writer, organizationID: string, names: Keys) =>
  lockRows(tx, byKeys("tags", "key share", organizationID, names));

export const lockTagsForNoKeyUpdate = (tx: Writer, organizationID: string, names: Keys) =>
  lockRows(tx, byKeys("tags", "no key update", organizationID, names));

/** Prevents changes of the tags and new uses of them. */
export const lockTagsForUpdate = (tx: Writer, organizationID: string, names: Keys) =>
  lockRows(tx, byKeys("tags", "update", organizationID, names));

/** Prevents the deletion of the roles. */
export const lockRolesForKeyShare = (tx: Writer, organizationID: string, ids: Keys) =>
  lockRows(tx, byKeys("roles", "key share", organizationID, ids));

export const lockRoleForNoKeyUpdate = (tx: Writer, organizationID: string, id: string) =>
  lockOne(tx, byKeys("roles", "no key update", organizationID, [id]));

/** Locks the roles that match a condition on their columns. */
export const lockRolesForNoKeyUpdate = (tx: Writer, organizationID: string, condition: RawBuilder<boolean>) =>
  lockRows(tx, {
    table: "roles",
    strength: "no key update",
    keys: undefined,
    where: sql`${inOrganization(organizationID)} and ${condition}`,
  });

/** Prevents changes of the role and new uses of it. */
export const lockRoleForUpdate = (tx: Writer, organizationID: string, id: string) =>
  lockOne(tx, byKeys("roles", "update", organizationID, [id]));

/** Prevents the deletion of the routes. */
export const lockRoutesForKeyShare = (tx: Writer, organizationID: string, ids: Keys) =>
  lockRows(tx, byKeys("routes", "key share", organizationID, ids));

export const lockRouteForNoKeyUpdate = (tx: Writer, organizationID: string, id: string) =>
  lockOne(tx, byKeys("routes", "no key update", organizationID, [id]));

/** Locks the routes that match a condition on their columns. */
export const lockRoutesForNoKeyUpdate = (
  tx: Writer,
  organizationID: string,
  condition: RawBuilder<boolean>,
) =>
  lockRows(tx, {
    table: "routes",
    strength: "no key update",
    keys: undefined,
    where: sql`${inOrganization(organizationID)} and ${condition}`,
  });

/** Prevents changes of the route and new subscriptions to it. */
export const lockRouteForUpdate = (tx: Writer, organizationID: string, id: string) =>
  lockOne(tx, byKeys("routes", "update", organizationID, [id]));

/** Prevents the deletion of the network. */
export const lockNetworkForKeyShare = (tx: Writer, organizationID: string, id: string) =>
  lockOne(tx, byKeys("networks", "key share", organizationID, [id]));

/** Prevents other changes of the networks and of their hosts: a change of a host locks its network first. */
export const lockNetworksForNoKeyUpdate = (tx: Writer, organizationID: string, ids: Keys) =>
  lockRows(tx, byKeys("networks", "no key update", organizationID, ids));

export const lockAllNetworksForNoKeyUpdate = (tx: Writer, organizationID: string) =>
  lockRows(tx, {
    table: "networks",
    strength: "no key update",
    keys: undefined,
    where: inOrganization(organizationID),
  });

/** Prevents other changes of the network and of its hosts. For enrollment, which doesn't know the organization yet. */
export const lockNetworkOfHostForNoKeyUpdate = (tx: Writer, id: string) =>
  lockOne(tx, { table: "networks", strength: "no key update", keys: [id], where: sql`id = ${id}` });

/** For callers such as agents, which don't know the organization. */
export async function lockNetworksOfHostsForNoKeyUpdate(tx: Locker, ids: Keys): Promise<void> {
  const keys = [...new Set(ids)];
  await lockRows(tx, {
    table: "networks",
    strength: "no key update",
    keys,
    where: sql`id = any(${keys}::text[])`,
  });
}

/** Prevents changes of the network and new hosts in it. */
export const lockNetworkForUpdate = (tx: Writer, organizationID: string, id: string) =>
  lockOne(tx, byKeys("networks", "update", organizationID, [id]));

export const lockCertificateAuthoritiesForNoKeyUpdate = (
  tx: Writer,
  organizationID: string,
  networkID: string,
) =>
  lockRows(tx, {
    table: "certificate_authorities",
    strength: "no key update",
    keys: undefined,
    where: sql`${inOrganization(organizationID)} and network_id = ${networkID}`,
  });

/** Prevents the deletion of the host. */
export const lockHostForKeyShare = (tx: Writer, organizationID: string, id: string) =>
  lockOne(tx, byKeys("hosts", "key share", organizationID, [id]));

const hosts = (strength: Strength, ids: Keys): Lock<"hosts"> => ({
  table: "hosts",
  strength,
  keys: ids,
  where: sql`id = any(${ids}::text[])`,
});

/** For callers such as agents, which don't know the organization. */
export const lockHostForNoKeyUpdate = (tx: Locker, id: string) => lockOne(tx, hosts("no key update", [id]));

/** For enrollment, which doesn't know the organization yet. */
export const lockEnrollingHostsForUpdate = (tx: Writer, ids: Keys) => lockRows(tx, hosts("update", ids));

export const lockHostsForUpdate = (tx: Writer, organizationID: string, ids: Keys) =>
  lockRows(tx, byKeys("hosts", "update", organizationID, ids));

/** Prevents blocking or deleting the hosts. With `isSkippingLocked`, locked rows are left out. */
export const lockHostsForKeyShare = (
  tx: UnauditedWriter,
  ids: Keys,
  { isSkippingLocked }: { isSkippingLocked: boolean },
) => lockRows(tx, { ...hosts("key share", ids), isSkippingLocked });

export const lockHostsForNoKeyUpdate = (tx: Locker, ids: Keys) => lockRows(tx, hosts("no key update", ids));

export const lockJobForUpdate = (tx: UnauditedWriter, id: string) =>
  lockOne(tx, { table: "jobs", strength: "update", keys: [id], where: sql`id = ${id}` });

export const lockGuaranteeForUpdate = (tx: Writer, organizationID: string, id: string) =>
  lockOne(tx, byKeys("guarantees", "update", organizationID, [id]));

export const lockGuaranteesForUpdate = (tx: Writer, organizationID: string, ids: Keys) =>
  lockRows(tx, byKeys("guarantees", "update", organizationID, ids));

/** Prevents the deletion of the channels. */
export const lockNotificationChannelsForKeyShare = (tx: Locker, organizationID: string, ids: Keys) =>
  lockRows(tx, byKeys("notification_channels", "key share", organizationID, ids));

export const lockNotificationChannelForUpdate = (tx: Writer, organizationID: string, id: string) =>
  lockOne(tx, byKeys("notification_channels", "update", organizationID, [id]));

export const lockNotificationRuleForUpdate = (tx: Writer, organizationID: string, id: string) =>
  lockOne(tx, byKeys("notification_rules", "update", organizationID, [id]));

/** Locks the rules that notify the channel. */
export const lockNotificationRulesOfChannelForUpdate = (
  tx: Writer,
  organizationID: string,
  channelID: string,
) =>
  lockRows(tx, {
    table: "notification_rules",
    strength: "update",
    keys: undefined,
    where: sql`${inOrganization(organizationID)} and ${channelID} = any(channel_ids)`,
  });
