import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await endpointSettings(db);
  await endpointUsers(db);
  await sql`
    alter table endpoint_auth_requests
      add column code_hash bytea,
      add column host_id text references hosts on delete cascade`.execute(db);
  await sql`
    alter table oidc_requests
      add column trial bytea,
      add column endpoint_request bytea references endpoint_auth_requests on delete cascade`.execute(db);
  await sql`create index oidc_requests_of_endpoint on oidc_requests (endpoint_request)`.execute(db);
  await sql`create index endpoint_auth_requests_of_host on endpoint_auth_requests (host_id)`.execute(db);
}

/** Where devices go whose people sign in. Without its network nothing of it is left. */
async function endpointSettings(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table oidc_providers
      add column endpoint_network_id text,
      add column endpoint_role_id text,
      add column endpoint_tags text[] not null default '{}',
      add column endpoint_valid_days integer not null default 30,
      add foreign key (organization_id, endpoint_network_id) references networks (organization_id, id)
        on delete set null (endpoint_network_id),
      add foreign key (organization_id, endpoint_role_id) references roles (organization_id, id)
        on delete set null (endpoint_role_id)`.execute(db);
  await sql`create index oidc_providers_domains on oidc_providers using gin (allowed_domains)`.execute(db);
}

async function endpointUsers(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table endpoint_users (
      id text primary key,
      organization_id text not null references organizations on delete cascade,
      issuer text not null,
      subject text not null,
      email text not null,
      created_at timestamptz not null,
      unique (organization_id, issuer, subject)
    )`.execute(db);
  await sql`alter table hosts add column endpoint_expires_at timestamptz`.execute(db);
}
