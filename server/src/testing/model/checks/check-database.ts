/** Invariants of the tables that no constraint enforces. Each query finds violations. */
import { Mismatch } from "../call.ts";
import type { TestServer } from "../../server.ts";

const COUNTED = `organization_id, network_id, role_id, is_lighthouse, is_relay, is_blocked,
  enrolled_at is not null, is_online, is_drifted, endpoint_oidc_user_id is not null, agent_name, agent_version`;
const CELL = `organization_id, network_id, role_id, is_lighthouse, is_relay, is_blocked,
  is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version`;

const invariants: Record<string, string> = {
  "host_counts counts the hosts": `
    select row(counted.*)::text as violation from (
      (select ${CELL}, count from host_counts where tag = '' and organization_id = any($1)
        except select ${COUNTED}, count(*) from hosts where organization_id = any($1) group by ${COUNTED})
      union all
      (select ${COUNTED}, count(*) from hosts where organization_id = any($1) group by ${COUNTED}
        except select ${CELL}, count from host_counts where tag = '' and organization_id = any($1))
    ) counted`,
  "host_counts counts the hosts with each tag": `
    select row(counted.*)::text as violation from (
      (select tag, organization_id, sum(count) from host_counts where tag <> '' and organization_id = any($1)
        group by 1, 2
        except select tag, organization_id, count(*) from hosts, unnest(tags) tag where organization_id = any($1)
          group by 1, 2)
      union all
      (select tag, organization_id, count(*) from hosts, unnest(tags) tag where organization_id = any($1) group by 1, 2
        except select tag, organization_id, sum(count) from host_counts
          where tag <> '' and organization_id = any($1) group by 1, 2)
    ) counted`,
  "host_tag_set_counts counts the hosts with several tags": `
    select row(counted.*)::text as violation from (
      (select tags, ${CELL}, count from host_tag_set_counts where organization_id = any($1)
        except select tags, ${COUNTED}, count(*) from hosts
          where cardinality(tags) > 1 and organization_id = any($1) group by tags, ${COUNTED})
      union all
      (select tags, ${COUNTED}, count(*) from hosts where cardinality(tags) > 1 and organization_id = any($1)
          group by tags, ${COUNTED}
        except select tags, ${CELL}, count from host_tag_set_counts where organization_id = any($1))
    ) counted`,
  "host_tags contains the tags of hosts": `
    select row(tagged.*)::text as violation from (
      (select id, tag from hosts, unnest(tags) tag where organization_id = any($1)
        except select host_id, tag from host_tags where organization_id = any($1))
      union all
      (select host_id, tag from host_tags where organization_id = any($1)
        except select id, tag from hosts, unnest(tags) tag where organization_id = any($1))
    ) tagged`,
  "hosts have tags that exist": `
    select hosts.id || ' ' || tag as violation from hosts, unnest(hosts.tags) tag
      where organization_id = any($1) and not exists (
        select from tags where tags.organization_id = hosts.organization_id and tags.name = tag)`,
  "rules name roles and tags that exist": `
    with owners as (
      select organization_id, id, firewall_rules from roles
      union all select organization_id, name, firewall_rules from tags
      union all select organization_id, id, firewall_rules from routes)
    select owners.id as violation from owners, jsonb_array_elements(firewall_rules) rule
      where organization_id = any($1) and (
        (rule ->> 'allowedRoleID' is not null and not exists (
          select from roles where roles.organization_id = owners.organization_id
            and roles.id = rule ->> 'allowedRoleID'))
        or exists (select from jsonb_array_elements_text(coalesce(rule -> 'allowedTags', '[]')) tag
          where not exists (select from tags
            where tags.organization_id = owners.organization_id and tags.name = tag)))`,
  "a free address is below the next one, and no host has it": `
    select free.address::text as violation from free_addresses free join networks on networks.id = free.network_id
      where organization_id = any($1) and (
        exists (select from hosts where hosts.network_id = free.network_id
          and (hosts.ip_address = free.address or hosts.ipv6_address = free.address))
        or (family(free.address) = 4 and free.address >= networks.next_address)
        or (family(free.address) = 6 and free.address >= networks.next_ipv6_address))`,
  "addresses are inside the ranges of their network": `
    select hosts.id as violation from hosts join networks on networks.id = hosts.network_id
      where hosts.organization_id = any($1) and (
        (family(ip_address) = 4 and not ip_address <<= cidr::inet)
        or (ipv6_address is not null and not ipv6_address <<= ipv6_cidr::inet))`,
  "blocked hosts have no credentials and no valid certificate": `
    select hosts.id as violation from hosts where organization_id = any($1) and is_blocked and (
      exists (select from host_credentials where host_id = hosts.id)
      or ca_id is not null
      or exists (select from host_certificates where host_id = hosts.id and revoked_at is null))`,
  "certificates of deleted hosts are revoked": `
    select fingerprint as violation from host_certificates
      where organization_id = any($1) and revoked_at is null
        and not exists (select from hosts where hosts.id = host_certificates.host_id)`,
  "enrolled hosts use a certificate of a trusted CA": `
    select hosts.id as violation from hosts join certificate_authorities ca on ca.id = hosts.ca_id
      where hosts.organization_id = any($1) and ca.state = 'RETIRED'`,
  "notification rules have channels that exist": `
    select rules.id as violation from notification_rules rules, unnest(channel_ids) channel
      where organization_id = any($1) and not exists (
        select from notification_channels where notification_channels.id = channel)`,
  "every organization has an owner": `
    select organizations.id as violation from organizations where id = any($1) and not exists (
      select from users where users.organization_id = organizations.id and role = 'owner')`,
};

export async function checkDatabase(
  { query }: TestServer,
  organizationIDs: readonly string[],
): Promise<void> {
  for (const [invariant, text] of Object.entries(invariants)) {
    const rows = await query<{ violation: string }>(text, [organizationIDs]);
    if (rows.length > 0)
      throw new Mismatch(
        `In the database, not all ${invariant}: ${rows.map(({ violation }) => violation).join("; ")}`,
      );
  }
}

/** Every table with rows of organizations. */
const TABLES = `
  select table_name as name from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and column_name = 'organization_id' and table_type = 'BASE TABLE'`;

/** The audit log outlives its organization, and other processes may still have to read the changes. */
const KEPT_TABLES = new Set(["access_changes", "audit_logs", "audit_heads"]);

/** Nothing is left of a deleted organization. */
export async function checkDeleted({ query }: TestServer, organizationID: string): Promise<void> {
  for (const { name } of await query<{ name: string }>(TABLES)) {
    if (KEPT_TABLES.has(name)) continue;
    const rows = await query(`select 1 from "${name}" where organization_id = $1 limit 1`, [organizationID]);
    if (rows.length > 0) throw new Mismatch(`${name} has rows of ${organizationID}, which was deleted`);
  }
}
