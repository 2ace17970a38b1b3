-- Generated from the migrations: npm run schema

create extension btree_gist;

create extension pg_trgm;

create table access_changes (
  organization_id text not null,
  kind text not null,
  key text not null,
  transaction_id xid8 not null default pg_current_xact_id(),
  created_at timestamp with time zone not null default now()
);

create table access_diffs (
  id text not null,
  organization_id text not null,
  opened jsonb not null,
  closed jsonb not null,
  affected_hosts jsonb not null,
  constraint access_diffs_pkey PRIMARY KEY (id),
  constraint access_diffs_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
);

create table api_keys (
  id text not null,
  organization_id text not null,
  name text not null,
  scopes text[] not null,
  token_hash bytea not null,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  created_at timestamp with time zone not null,
  previous_token_hash bytea,
  previous_expires_at timestamp with time zone,
  created_by_id text,
  created_by_email text,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_check CHECK (((previous_token_hash IS NULL) = (previous_expires_at IS NULL))),
  constraint api_keys_check1 CHECK (((created_by_id IS NULL) = (created_by_email IS NULL))),
  constraint api_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint api_keys_organization_id_id_key UNIQUE (organization_id, id),
  constraint api_keys_previous_token_hash_key UNIQUE (previous_token_hash),
  constraint api_keys_token_hash_key UNIQUE (token_hash)
);

create table audit_heads (
  organization_id text not null,
  sequence bigint not null,
  hash bytea not null,
  constraint audit_heads_pkey PRIMARY KEY (organization_id)
);

create table audit_logs (
  id text not null,
  organization_id text not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  actor jsonb not null,
  target_type text not null,
  target_id text not null,
  event_type text not null,
  before jsonb,
  after jsonb,
  sequence bigint,
  hash bytea,
  actor_address text,
  access_diff jsonb,
  constraint audit_logs_pkey PRIMARY KEY (id)
);

create table auth_tokens (
  token_hash bytea not null,
  session_id text not null,
  authenticated_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint auth_tokens_pkey PRIMARY KEY (token_hash),
  constraint auth_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE
);

create table billing_accounts (
  organization_id text not null,
  customer_id text,
  checkout_key text not null,
  checkout_quantity integer not null,
  checkout_started_at timestamp with time zone not null,
  checkout_session_id text,
  checkout_expires_at timestamp with time zone,
  quantity integer,
  version integer not null,
  synced_at timestamp with time zone not null,
  constraint billing_accounts_pkey PRIMARY KEY (organization_id),
  constraint billing_accounts_customer_id_key UNIQUE (customer_id)
);

create table ca_rotations (
  network_id text not null,
  organization_id text not null,
  old_ca_id text not null,
  new_ca_id text not null,
  step text not null,
  step_revision bigint not null,
  is_forced boolean not null,
  started_at timestamp with time zone not null,
  step_started_at timestamp with time zone not null,
  constraint ca_rotations_pkey PRIMARY KEY (network_id),
  constraint ca_rotations_organization_id_network_id_fkey FOREIGN KEY (organization_id, network_id) REFERENCES networks(organization_id, id) ON DELETE CASCADE,
  constraint ca_rotations_step_check CHECK ((step = ANY (ARRAY['TRUST'::text, 'REISSUE'::text, 'DONE'::text])))
);

create table certificate_authorities (
  id text not null,
  organization_id text not null,
  network_id text not null,
  name text not null,
  state text not null,
  curve text not null,
  cert_version integer not null,
  certificate text not null,
  fingerprint text not null,
  private_key bytea not null,
  not_before timestamp with time zone not null,
  not_after timestamp with time zone not null,
  created_at timestamp with time zone not null,
  constraint certificate_authorities_pkey PRIMARY KEY (id),
  constraint certificate_authorities_cert_version_check CHECK ((cert_version = ANY (ARRAY[1, 2]))),
  constraint certificate_authorities_curve_check CHECK ((curve = ANY (ARRAY['25519'::text, 'P256'::text]))),
  constraint certificate_authorities_fingerprint_key UNIQUE (fingerprint),
  constraint certificate_authorities_organization_id_network_id_fkey FOREIGN KEY (organization_id, network_id) REFERENCES networks(organization_id, id) ON DELETE CASCADE,
  constraint certificate_authorities_organization_id_network_id_id_key UNIQUE (organization_id, network_id, id),
  constraint certificate_authorities_state_check CHECK ((state = ANY (ARRAY['PENDING'::text, 'SIGNING'::text, 'TRUSTED'::text, 'RETIRED'::text])))
);

create table device_requests (
  id text not null,
  organization_id text not null,
  poll_token_hash bytea not null,
  issuer text not null,
  subject text not null,
  email text not null,
  address text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint device_requests_pkey PRIMARY KEY (id),
  constraint device_requests_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint device_requests_poll_token_hash_fkey FOREIGN KEY (poll_token_hash) REFERENCES endpoint_auth_requests(poll_token_hash) ON DELETE CASCADE,
  constraint device_requests_poll_token_hash_key UNIQUE (poll_token_hash)
);

create table endpoint_auth_requests (
  poll_token_hash bytea not null,
  login_token_hash bytea not null,
  state text not null,
  expires_at timestamp with time zone not null,
  code_hash bytea,
  host_id text,
  verification_code text not null default ''::text,
  constraint endpoint_auth_requests_pkey PRIMARY KEY (poll_token_hash),
  constraint endpoint_auth_requests_host_id_fkey FOREIGN KEY (host_id) REFERENCES hosts(id) ON DELETE CASCADE,
  constraint endpoint_auth_requests_login_token_hash_key UNIQUE (login_token_hash),
  constraint endpoint_auth_requests_state_check CHECK ((state = ANY (ARRAY['WAITING'::text, 'STARTED'::text, 'PENDING_APPROVAL'::text, 'REJECTED'::text, 'COMPLETED'::text])))
);

create table endpoint_users (
  id text not null,
  organization_id text not null,
  issuer text not null,
  subject text not null,
  email text not null,
  created_at timestamp with time zone not null,
  constraint endpoint_users_pkey PRIMARY KEY (id),
  constraint endpoint_users_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint endpoint_users_organization_id_issuer_subject_key UNIQUE (organization_id, issuer, subject)
);

create table enrollment_codes (
  host_id text not null,
  organization_id text not null,
  code_hash bytea not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  constraint enrollment_codes_pkey PRIMARY KEY (host_id),
  constraint enrollment_codes_code_hash_key UNIQUE (code_hash),
  constraint enrollment_codes_organization_id_host_id_fkey FOREIGN KEY (organization_id, host_id) REFERENCES hosts(organization_id, id) ON DELETE CASCADE
);

create table feature_flags (
  organization_id text not null,
  name text not null,
  value boolean not null,
  constraint feature_flags_pkey PRIMARY KEY (organization_id, name),
  constraint feature_flags_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
);

create table free_addresses (
  network_id text not null,
  address inet not null,
  constraint free_addresses_pkey PRIMARY KEY (network_id, address),
  constraint free_addresses_network_id_fkey FOREIGN KEY (network_id) REFERENCES networks(id) ON DELETE CASCADE
);

create table guarantees (
  id text not null,
  organization_id text not null,
  type text not null,
  source jsonb not null,
  destination jsonb not null,
  protocol text not null,
  port_range jsonb,
  network_id text,
  description text not null,
  suspended_until timestamp with time zone,
  suspension_reason text,
  failing_since timestamp with time zone,
  created_at timestamp with time zone not null,
  modified_at timestamp with time zone not null,
  constraint guarantees_pkey PRIMARY KEY (id),
  constraint guarantees_check CHECK (((suspended_until IS NULL) = (suspension_reason IS NULL))),
  constraint guarantees_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint guarantees_type_check CHECK ((type = ANY (ARRAY['MUST_REACH'::text, 'MUST_NEVER_REACH'::text])))
);

create table host_blocks (
  host_id text not null,
  organization_id text not null,
  network_id text not null,
  revision bigint not null,
  blocked_at timestamp with time zone not null,
  host_count integer not null,
  peer_ids text[] not null,
  half_acknowledged_at timestamp with time zone,
  completed_at timestamp with time zone,
  constraint host_blocks_pkey PRIMARY KEY (host_id),
  constraint host_blocks_organization_id_host_id_fkey FOREIGN KEY (organization_id, host_id) REFERENCES hosts(organization_id, id) ON DELETE CASCADE
);

create table host_certificates (
  fingerprint text not null,
  organization_id text not null,
  network_id text not null,
  ca_id text not null,
  host_id text not null,
  public_key bytea not null,
  identity_hash text not null,
  not_before timestamp with time zone not null,
  not_after timestamp with time zone not null,
  superseded_at timestamp with time zone,
  revoked_at timestamp with time zone,
  groups text[],
  unsafe_networks text[],
  revoke_after timestamp with time zone,
  other_fingerprint text,
  second_ca_id text,
  second_fingerprint text,
  other_second_fingerprint text,
  constraint host_certificates_pkey PRIMARY KEY (fingerprint),
  constraint host_certificates_organization_id_network_id_ca_id_fkey FOREIGN KEY (organization_id, network_id, ca_id) REFERENCES certificate_authorities(organization_id, network_id, id) ON DELETE CASCADE
);

create table host_command_chunks (
  token text not null,
  sequence integer not null,
  bytes bytea not null,
  constraint host_command_chunks_pkey PRIMARY KEY (token, sequence),
  constraint host_command_chunks_token_fkey FOREIGN KEY (token) REFERENCES host_commands(token) ON DELETE CASCADE
);

create table host_commands (
  token text not null,
  organization_id text not null,
  host_id text not null,
  action jsonb not null,
  state text not null,
  response jsonb,
  created_at timestamp with time zone not null,
  constraint host_commands_pkey PRIMARY KEY (token),
  constraint host_commands_organization_id_host_id_fkey FOREIGN KEY (organization_id, host_id) REFERENCES hosts(organization_id, id) ON DELETE CASCADE,
  constraint host_commands_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'sent'::text, 'streaming'::text, 'done'::text])))
);

create table host_counts (
  organization_id text not null,
  tag text not null,
  network_id text not null,
  role_id text,
  is_lighthouse boolean not null,
  is_relay boolean not null,
  is_blocked boolean not null,
  is_enrolled boolean not null,
  is_online boolean not null,
  is_drifted boolean not null,
  has_endpoint_user boolean not null,
  agent_name text,
  agent_version text,
  count integer not null
);

create table host_credentials (
  host_id text not null,
  counter integer not null,
  organization_id text not null,
  signing_key bytea not null,
  certificate text not null,
  config_hash text not null,
  sent_hash text not null,
  sent_kind text not null,
  sent_at timestamp with time zone not null,
  revision bigint not null,
  config text,
  nebula_version text,
  constraint host_credentials_pkey PRIMARY KEY (host_id, counter),
  constraint host_credentials_organization_id_host_id_fkey FOREIGN KEY (organization_id, host_id) REFERENCES hosts(organization_id, id) ON DELETE CASCADE,
  constraint host_credentials_sent_kind_check CHECK ((sent_kind = ANY (ARRAY['config'::text, 'certificate'::text])))
);

create table host_presence (
  host_id text not null,
  organization_id text not null,
  network_id text not null,
  last_seen_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  constraint host_presence_pkey PRIMARY KEY (host_id),
  constraint host_presence_organization_id_host_id_fkey FOREIGN KEY (organization_id, host_id) REFERENCES hosts(organization_id, id) ON DELETE CASCADE
);

create table host_reports (
  host_id text not null,
  organization_id text not null,
  config_hash text not null,
  nebula_version text,
  applied_at timestamp with time zone,
  error text,
  tunnels jsonb not null,
  reported_at timestamp with time zone not null,
  system jsonb,
  constraint host_reports_pkey PRIMARY KEY (host_id),
  constraint host_reports_organization_id_host_id_fkey FOREIGN KEY (organization_id, host_id) REFERENCES hosts(organization_id, id) ON DELETE CASCADE
);

create table host_revisions (
  host_id text not null,
  organization_id text not null,
  network_id text not null,
  revision bigint not null,
  reached_at timestamp with time zone not null,
  constraint host_revisions_pkey PRIMARY KEY (host_id),
  constraint host_revisions_organization_id_host_id_fkey FOREIGN KEY (organization_id, host_id) REFERENCES hosts(organization_id, id) ON DELETE CASCADE
);

create table host_tag_set_counts (
  organization_id text not null,
  tags text[] not null,
  tags_hash bytea not null,
  network_id text not null,
  role_id text,
  is_lighthouse boolean not null,
  is_relay boolean not null,
  is_blocked boolean not null,
  is_enrolled boolean not null,
  is_online boolean not null,
  is_drifted boolean not null,
  has_endpoint_user boolean not null,
  agent_name text,
  agent_version text,
  count integer not null
);

create table host_tags (
  organization_id text not null,
  host_id text not null,
  tag text not null,
  created_at timestamp with time zone not null,
  name_key text not null,
  constraint host_tags_pkey PRIMARY KEY (host_id, tag),
  constraint host_tags_organization_id_host_id_fkey FOREIGN KEY (organization_id, host_id) REFERENCES hosts(organization_id, id) ON DELETE CASCADE,
  constraint host_tags_tag FOREIGN KEY (organization_id, tag) REFERENCES tags(organization_id, name)
);

create table host_traffic (
  host_id text not null,
  organization_id text not null,
  received bigint[] not null,
  sent bigint[] not null,
  newest_bucket bigint not null,
  received_counter bigint not null,
  sent_counter bigint not null,
  reported_at timestamp with time zone not null,
  constraint host_traffic_pkey PRIMARY KEY (host_id),
  constraint host_traffic_organization_id_host_id_fkey FOREIGN KEY (organization_id, host_id) REFERENCES hosts(organization_id, id) ON DELETE CASCADE,
  constraint host_traffic_received_check CHECK ((array_length(received, 1) = 96)),
  constraint host_traffic_sent_check CHECK ((array_length(sent, 1) = 96))
);

create table hosts (
  id text not null,
  organization_id text not null,
  network_id text not null,
  role_id text,
  endpoint_oidc_user_id text,
  has_endpoint_user boolean not null generated always as ((endpoint_oidc_user_id IS NOT NULL)) stored,
  name text not null,
  name_key text not null generated always as (lower(name)) stored,
  ip_address inet not null,
  static_addresses text[] not null,
  listen_port integer not null,
  is_lighthouse boolean not null,
  is_relay boolean not null,
  is_blocked boolean not null default false,
  tags text[] not null,
  config_overrides jsonb not null,
  search_text text not null,
  enrolled_at timestamp with time zone,
  is_enrolled boolean not null generated always as ((enrolled_at IS NOT NULL)) stored,
  is_online boolean not null default false,
  is_drifted boolean not null default false,
  agent_name text,
  agent_version text,
  ca_id text,
  certificate_expires_at timestamp with time zone,
  created_at timestamp with time zone not null,
  modified_at timestamp with time zone not null,
  endpoint_expires_at timestamp with time zone,
  description text not null default ''::text,
  owner text not null default ''::text,
  ipv6_address inet,
  constraint hosts_pkey PRIMARY KEY (id),
  constraint hosts_check CHECK ((NOT (is_lighthouse AND is_relay))),
  constraint hosts_check1 CHECK (((NOT is_online) OR ((enrolled_at IS NOT NULL) AND (NOT is_blocked)))),
  constraint hosts_ip_address_check CHECK (((family(ip_address) = 4) OR (ip_address = ipv6_address))),
  constraint hosts_ip_address_unique UNIQUE (network_id, ip_address),
  constraint hosts_ipv6_address_check CHECK ((family(ipv6_address) = 6)),
  constraint hosts_ipv6_address_unique UNIQUE (network_id, ipv6_address),
  constraint hosts_listen_port_check CHECK (((listen_port >= 0) AND (listen_port <= 65535))),
  constraint hosts_name_unique UNIQUE (network_id, name_key),
  constraint hosts_organization_id_id_key UNIQUE (organization_id, id),
  constraint hosts_organization_id_network_id_ca_id_fkey FOREIGN KEY (organization_id, network_id, ca_id) REFERENCES certificate_authorities(organization_id, network_id, id),
  constraint hosts_organization_id_network_id_fkey FOREIGN KEY (organization_id, network_id) REFERENCES networks(organization_id, id) ON DELETE CASCADE,
  constraint hosts_role FOREIGN KEY (organization_id, role_id) REFERENCES roles(organization_id, id)
);

create table import_plans (
  token_hash bytea not null,
  organization_id text not null,
  things jsonb not null,
  plan jsonb not null,
  expires_at timestamp with time zone not null,
  constraint import_plans_pkey PRIMARY KEY (token_hash),
  constraint import_plans_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
);

create table invitations (
  id text not null,
  organization_id text not null,
  email text not null,
  role text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  invited_by_id text,
  invited_by_email text,
  constraint invitations_pkey PRIMARY KEY (id),
  constraint invitations_check CHECK (((invited_by_id IS NULL) = (invited_by_email IS NULL))),
  constraint invitations_organization_id_email_key UNIQUE (organization_id, email),
  constraint invitations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint invitations_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'administrator'::text, 'auditor'::text])))
);

create table job_items (
  job_id text not null,
  item text not null,
  constraint job_items_pkey PRIMARY KEY (job_id, item),
  constraint job_items_job_id_fkey FOREIGN KEY (job_id) REFERENCES jobs(id) ON DELETE CASCADE
);

create table jobs (
  id text not null,
  organization_id text not null,
  actor jsonb not null,
  action jsonb not null,
  state text not null,
  done integer not null,
  total integer not null,
  errors jsonb not null,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  actor_address text,
  constraint jobs_pkey PRIMARY KEY (id),
  constraint jobs_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint jobs_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'running'::text, 'done'::text])))
);

create table known_browsers (
  organization_id text not null,
  user_id text not null,
  browser text not null,
  network text not null,
  last_used_at timestamp with time zone not null,
  constraint known_browsers_pkey PRIMARY KEY (user_id, browser, network),
  constraint known_browsers_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id) ON DELETE CASCADE
);

create table kysely_migration (
  name character varying(255) not null,
  "timestamp" character varying(255) not null,
  constraint kysely_migration_pkey PRIMARY KEY (name)
);

create table kysely_migration_lock (
  id character varying(255) not null,
  is_locked integer not null default 0,
  constraint kysely_migration_lock_pkey PRIMARY KEY (id)
);

create table magic_links (
  token_hash bytea not null,
  email text not null,
  purpose text not null,
  plan text,
  expires_at timestamp with time zone not null,
  setup_code_hash bytea,
  constraint magic_links_pkey PRIMARY KEY (token_hash),
  constraint magic_links_plan_check CHECK ((plan = 'pro'::text)),
  constraint magic_links_purpose_check CHECK ((purpose = ANY (ARRAY['signIn'::text, 'signUp'::text])))
);

create table mail_jobs (
  id bigint not null generated always as identity,
  kind text not null,
  email text not null,
  plan text,
  attempts integer not null default 0,
  next_attempt_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  content jsonb,
  setup_code_hash bytea,
  constraint mail_jobs_pkey PRIMARY KEY (id),
  constraint mail_jobs_kind_check CHECK ((kind = ANY (ARRAY['signIn'::text, 'signUp'::text, 'invitation'::text, 'support'::text, 'notice'::text]))),
  constraint mail_jobs_plan_check CHECK ((plan = 'pro'::text))
);

create table network_upgrades (
  network_id text not null,
  organization_id text not null,
  old_ca_id text not null,
  new_ca_id text,
  ipv6_cidr cidr not null,
  step text not null,
  step_revision bigint not null,
  is_reverting boolean not null,
  is_forced boolean not null,
  started_at timestamp with time zone not null,
  step_started_at timestamp with time zone not null,
  constraint network_upgrades_pkey PRIMARY KEY (network_id),
  constraint network_upgrades_organization_id_network_id_fkey FOREIGN KEY (organization_id, network_id) REFERENCES networks(organization_id, id) ON DELETE CASCADE,
  constraint network_upgrades_step_check CHECK ((step = ANY (ARRAY['NEBULA'::text, 'TRUST'::text, 'BOTH'::text, 'INITIATE'::text, 'ONLY'::text, 'DONE'::text])))
);

create table networks (
  id text not null,
  organization_id text not null,
  name text not null,
  description text not null,
  cidr cidr,
  curve text not null,
  cert_version integer not null,
  signing_ca_id text not null,
  lighthouses_as_relays boolean not null,
  disable_managed_lighthouses boolean not null,
  host_count integer not null default 0,
  created_at timestamp with time zone not null,
  next_address inet,
  revision bigint not null default 0,
  ipv6_cidr cidr,
  next_ipv6_address inet,
  constraint networks_pkey PRIMARY KEY (id),
  constraint networks_cert_version_check CHECK ((cert_version = ANY (ARRAY[1, 2]))),
  constraint networks_cidr_overlap EXCLUDE USING gist (organization_id WITH =, cidr inet_ops WITH &&),
  constraint networks_curve_check CHECK ((curve = ANY (ARRAY['25519'::text, 'P256'::text]))),
  constraint networks_families_check CHECK (
CASE cert_version
    WHEN 1 THEN (cidr IS NOT NULL)
    ELSE (ipv6_cidr IS NOT NULL)
END),
  constraint networks_host_count_check CHECK ((host_count >= 0)),
  constraint networks_ipv4_check CHECK (((family((cidr)::inet) = 4) AND ((cidr IS NULL) = (next_address IS NULL)))),
  constraint networks_ipv6_check CHECK (((ipv6_cidr IS NULL) = (next_ipv6_address IS NULL))),
  constraint networks_ipv6_cidr_check CHECK ((family((ipv6_cidr)::inet) = 6)),
  constraint networks_ipv6_cidr_overlap EXCLUDE USING gist (organization_id WITH =, ipv6_cidr inet_ops WITH &&),
  constraint networks_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint networks_organization_id_id_key UNIQUE (organization_id, id),
  constraint networks_signing_ca FOREIGN KEY (organization_id, id, signing_ca_id) REFERENCES certificate_authorities(organization_id, network_id, id) DEFERRABLE INITIALLY DEFERRED
);

create table notification_channel_states (
  channel_id text not null,
  failing_since timestamp with time zone,
  audit_sequence bigint,
  constraint notification_channel_states_pkey PRIMARY KEY (channel_id),
  constraint notification_channel_states_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES notification_channels(id) ON DELETE CASCADE
);

create table notification_channels (
  id text not null,
  organization_id text not null,
  type text not null,
  name text not null,
  is_enabled boolean not null,
  addresses text[] not null,
  url bytea,
  secret bytea,
  previous_secret bytea,
  previous_secret_expires_at timestamp with time zone,
  stream_after bigint,
  created_at timestamp with time zone not null,
  modified_at timestamp with time zone not null,
  constraint notification_channels_pkey PRIMARY KEY (id),
  constraint notification_channels_check CHECK (((type = 'EMAIL'::text) = (url IS NULL))),
  constraint notification_channels_check1 CHECK (((type = ANY (ARRAY['WEBHOOK'::text, 'AUDIT_STREAM'::text])) = (secret IS NOT NULL))),
  constraint notification_channels_check2 CHECK (((type = 'AUDIT_STREAM'::text) = (stream_after IS NOT NULL))),
  constraint notification_channels_check3 CHECK (((previous_secret IS NULL) = (previous_secret_expires_at IS NULL))),
  constraint notification_channels_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint notification_channels_type_check CHECK ((type = ANY (ARRAY['EMAIL'::text, 'WEBHOOK'::text, 'SLACK'::text, 'TEAMS'::text, 'AUDIT_STREAM'::text])))
);

create table notification_cursors (
  organization_id text not null,
  audit_sequence bigint not null,
  constraint notification_cursors_pkey PRIMARY KEY (organization_id),
  constraint notification_cursors_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
);

create table notification_deliveries (
  id text not null,
  organization_id text not null,
  channel_id text not null,
  rule_id text,
  type text not null,
  title text not null,
  body text,
  first_sequence bigint,
  last_sequence bigint,
  state text not null,
  attempts integer not null,
  request_headers jsonb,
  response jsonb,
  created_at timestamp with time zone not null,
  next_attempt_at timestamp with time zone,
  expires_at timestamp with time zone,
  finished_at timestamp with time zone,
  constraint notification_deliveries_pkey PRIMARY KEY (id),
  constraint notification_deliveries_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES notification_channels(id) ON DELETE CASCADE,
  constraint notification_deliveries_check CHECK (((body IS NULL) = ((first_sequence IS NOT NULL) AND (last_sequence IS NOT NULL)))),
  constraint notification_deliveries_check1 CHECK (((state = 'PENDING'::text) = (next_attempt_at IS NOT NULL))),
  constraint notification_deliveries_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint notification_deliveries_state_check CHECK ((state = ANY (ARRAY['PENDING'::text, 'DELIVERED'::text, 'FAILED'::text])))
);

create table notification_events (
  id bigint not null generated always as identity,
  organization_id text not null,
  rule_id text not null,
  due_at timestamp with time zone not null,
  count integer not null,
  items jsonb not null,
  constraint notification_events_pkey PRIMARY KEY (id),
  constraint notification_events_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint notification_events_rule_id_fkey FOREIGN KEY (rule_id) REFERENCES notification_rules(id) ON DELETE CASCADE
);

create table notification_rule_states (
  rule_id text not null,
  active_from timestamp with time zone not null,
  checked_until timestamp with time zone not null,
  checked_at timestamp with time zone not null,
  resumed_at timestamp with time zone not null,
  constraint notification_rule_states_pkey PRIMARY KEY (rule_id),
  constraint notification_rule_states_rule_id_fkey FOREIGN KEY (rule_id) REFERENCES notification_rules(id) ON DELETE CASCADE
);

create table notification_rules (
  id text not null,
  organization_id text not null,
  event_type text not null,
  is_enabled boolean not null,
  tags text[] not null,
  role_ids text[] not null,
  threshold_minutes integer,
  days integer,
  channel_ids text[] not null,
  quiet_hours jsonb,
  digest text not null,
  time_zone text not null,
  active_from timestamp with time zone not null,
  active_after bigint not null,
  created_at timestamp with time zone not null,
  modified_at timestamp with time zone not null,
  constraint notification_rules_pkey PRIMARY KEY (id),
  constraint notification_rules_digest_check CHECK ((digest = ANY (ARRAY['NONE'::text, 'HOURLY'::text, 'DAILY'::text]))),
  constraint notification_rules_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
);

create table notification_subjects (
  rule_id text not null,
  subject_id text not null,
  since timestamp with time zone not null,
  report_at timestamp with time zone not null,
  reported_at timestamp with time zone,
  resolved_at timestamp with time zone,
  constraint notification_subjects_pkey PRIMARY KEY (rule_id, subject_id),
  constraint notification_subjects_rule_id_fkey FOREIGN KEY (rule_id) REFERENCES notification_rules(id) ON DELETE CASCADE
);

create table oidc_providers (
  organization_id text not null,
  id text not null,
  name text not null,
  issuer_url text not null,
  client_id text not null,
  client_secret bytea not null,
  allowed_domains text[] not null,
  required_claim jsonb,
  auditor_claim jsonb,
  created_at timestamp with time zone not null,
  modified_at timestamp with time zone not null,
  endpoint_network_id text,
  endpoint_role_id text,
  endpoint_tags text[] not null default '{}'::text[],
  endpoint_valid_days integer not null default 30,
  trusts_emails boolean not null,
  default_role text not null,
  endpoint_requires_approval boolean not null default false,
  constraint oidc_providers_pkey PRIMARY KEY (organization_id),
  constraint oidc_providers_default_role_check CHECK ((default_role = ANY (ARRAY['administrator'::text, 'auditor'::text]))),
  constraint oidc_providers_organization_id_endpoint_network_id_fkey FOREIGN KEY (organization_id, endpoint_network_id) REFERENCES networks(organization_id, id) ON DELETE SET NULL (endpoint_network_id),
  constraint oidc_providers_organization_id_endpoint_role_id_fkey FOREIGN KEY (organization_id, endpoint_role_id) REFERENCES roles(organization_id, id) ON DELETE SET NULL (endpoint_role_id),
  constraint oidc_providers_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
);

create table oidc_requests (
  token_hash bytea not null,
  organization_id text not null,
  provider_id text not null,
  state text not null,
  nonce text not null,
  code_verifier text not null,
  expires_at timestamp with time zone not null,
  trial bytea,
  endpoint_request bytea,
  constraint oidc_requests_pkey PRIMARY KEY (token_hash),
  constraint oidc_requests_endpoint_request_fkey FOREIGN KEY (endpoint_request) REFERENCES endpoint_auth_requests(poll_token_hash) ON DELETE CASCADE,
  constraint oidc_requests_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
);

create table oidc_sessions (
  id text not null,
  organization_id text not null,
  oidc_user_id text not null,
  token_hash bytea not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint oidc_sessions_pkey PRIMARY KEY (id),
  constraint oidc_sessions_organization_id_oidc_user_id_fkey FOREIGN KEY (organization_id, oidc_user_id) REFERENCES oidc_users(organization_id, id) ON DELETE CASCADE,
  constraint oidc_sessions_token_hash_key UNIQUE (token_hash)
);

create table oidc_users (
  id text not null,
  organization_id text not null,
  issuer text not null,
  subject text not null,
  email text not null,
  role text not null,
  created_at timestamp with time zone not null,
  signed_in_at timestamp with time zone not null,
  removed_at timestamp with time zone,
  constraint oidc_users_pkey PRIMARY KEY (id),
  constraint oidc_users_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint oidc_users_organization_id_id_key UNIQUE (organization_id, id),
  constraint oidc_users_organization_id_issuer_subject_key UNIQUE (organization_id, issuer, subject),
  constraint oidc_users_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'administrator'::text, 'auditor'::text])))
);

create table organization_domains (
  organization_id text not null,
  domain text not null,
  token text not null,
  created_at timestamp with time zone not null,
  verified_at timestamp with time zone,
  constraint organization_domains_pkey PRIMARY KEY (organization_id, domain),
  constraint organization_domains_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
);

create table organizations (
  id text not null,
  name text not null,
  plan text not null,
  wanted_plan text,
  created_at timestamp with time zone not null,
  constraint organizations_pkey PRIMARY KEY (id),
  constraint organizations_plan_check CHECK ((plan = ANY (ARRAY['free'::text, 'pro'::text, 'selfHosted'::text]))),
  constraint organizations_wanted_plan_check CHECK ((wanted_plan = 'pro'::text))
);

create table rate_limits (
  key text not null,
  hits timestamp with time zone[] not null,
  latest text not null,
  window_seconds integer not null default 900,
  constraint rate_limits_pkey PRIMARY KEY (key)
);

create table recovery_codes (
  organization_id text not null,
  user_id text not null,
  code_hash bytea not null,
  created_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint recovery_codes_pkey PRIMARY KEY (user_id, code_hash),
  constraint recovery_codes_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id) ON DELETE CASCADE
);

create table roles (
  id text not null,
  organization_id text not null,
  name text not null,
  description text not null,
  firewall_rules jsonb not null,
  created_at timestamp with time zone not null,
  modified_at timestamp with time zone not null,
  constraint roles_pkey PRIMARY KEY (id),
  constraint roles_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint roles_organization_id_id_key UNIQUE (organization_id, id)
);

create table route_subscriptions (
  organization_id text not null,
  tag text not null,
  route_id text not null,
  constraint route_subscriptions_pkey PRIMARY KEY (organization_id, tag, route_id),
  constraint route_subscriptions_organization_id_route_id_fkey FOREIGN KEY (organization_id, route_id) REFERENCES routes(organization_id, id) ON DELETE CASCADE,
  constraint route_subscriptions_organization_id_tag_fkey FOREIGN KEY (organization_id, tag) REFERENCES tags(organization_id, name) ON DELETE CASCADE
);

create table routes (
  id text not null,
  organization_id text not null,
  name text not null,
  description text not null,
  router_host_id text,
  routable_cidrs jsonb not null,
  firewall_rules jsonb not null,
  created_at timestamp with time zone not null,
  modified_at timestamp with time zone not null,
  accept_wider_rules boolean not null default false,
  constraint routes_pkey PRIMARY KEY (id),
  constraint routes_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint routes_organization_id_id_key UNIQUE (organization_id, id),
  constraint routes_router_host FOREIGN KEY (organization_id, router_host_id) REFERENCES hosts(organization_id, id)
);

create unlogged table seen_signatures (
  signature_hash bytea not null,
  seen_at timestamp with time zone not null,
  constraint seen_signatures_pkey PRIMARY KEY (signature_hash)
);

create table sessions (
  id text not null,
  organization_id text not null,
  user_id text not null,
  token_hash bytea not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  address text,
  user_agent text,
  completed_at timestamp with time zone,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id) ON DELETE CASCADE,
  constraint sessions_token_hash_key UNIQUE (token_hash)
);

create table setup_codes (
  id boolean not null,
  code_hash bytea not null,
  created_at timestamp with time zone not null,
  constraint setup_codes_pkey PRIMARY KEY (id),
  constraint setup_codes_id_check CHECK (id)
);

create table signing_keys (
  organization_id text not null,
  public_key bytea not null,
  private_key bytea not null,
  created_at timestamp with time zone not null,
  p256_public_key bytea,
  p256_private_key bytea,
  constraint signing_keys_pkey PRIMARY KEY (organization_id),
  constraint signing_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint signing_keys_p256_check CHECK (((p256_public_key IS NULL) = (p256_private_key IS NULL)))
);

create table subscriptions (
  organization_id text not null,
  status text not null,
  current_period_end timestamp with time zone,
  payment_method jsonb,
  constraint subscriptions_pkey PRIMARY KEY (organization_id),
  constraint subscriptions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint subscriptions_status_check CHECK ((status = ANY (ARRAY['active'::text, 'pending'::text, 'pastDue'::text, 'canceled'::text])))
);

create table tags (
  organization_id text not null,
  name text not null,
  description text not null,
  priority integer not null,
  config_overrides jsonb not null,
  firewall_rules jsonb not null,
  created_at timestamp with time zone not null,
  modified_at timestamp with time zone not null,
  constraint tags_pkey PRIMARY KEY (organization_id, name),
  constraint tags_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint tags_priority_unique UNIQUE (organization_id, priority) DEFERRABLE INITIALLY DEFERRED
);

create table totp_authenticators (
  id text not null,
  organization_id text not null,
  user_id text not null,
  name text not null,
  secret bytea not null,
  last_used_step bigint not null,
  last_used_at timestamp with time zone,
  created_at timestamp with time zone not null,
  recent_steps integer[] not null default '{}'::integer[],
  constraint totp_authenticators_pkey PRIMARY KEY (id),
  constraint totp_authenticators_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id) ON DELETE CASCADE
);

create table totp_setups (
  token_hash bytea not null,
  id text not null,
  organization_id text not null,
  user_id text not null,
  name text not null,
  secret bytea not null,
  expires_at timestamp with time zone not null,
  constraint totp_setups_pkey PRIMARY KEY (token_hash),
  constraint totp_setups_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id) ON DELETE CASCADE
);

create table users (
  id text not null,
  organization_id text not null,
  email text not null,
  created_at timestamp with time zone not null,
  role text not null,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_email_unique UNIQUE (email),
  constraint users_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint users_organization_id_id_key UNIQUE (organization_id, id),
  constraint users_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'administrator'::text, 'auditor'::text])))
);

create view members as
 SELECT users.organization_id,
    users.id,
    'user'::text AS kind,
    users.email,
    users.role,
    users.created_at,
    NULL::timestamp with time zone AS expires_at,
    NULL::text AS invited_by_email
   FROM users
UNION ALL
 SELECT oidc_users.organization_id,
    oidc_users.id,
    'oidcUser'::text AS kind,
    oidc_users.email,
    oidc_users.role,
    oidc_users.created_at,
    NULL::timestamp with time zone AS expires_at,
    NULL::text AS invited_by_email
   FROM oidc_users
UNION ALL
 SELECT invitations.organization_id,
    invitations.id,
    'invitation'::text AS kind,
    invitations.email,
    invitations.role,
    invitations.created_at,
    invitations.expires_at,
    invitations.invited_by_email
   FROM invitations;

CREATE INDEX access_changes_of_organization ON public.access_changes USING btree (organization_id, transaction_id);

CREATE INDEX api_keys_created ON public.api_keys USING btree (organization_id, created_at, id);

CREATE INDEX api_keys_creator ON public.api_keys USING btree (organization_id, created_by_id);

CREATE INDEX audit_logs_actor_id ON public.audit_logs USING btree (organization_id, ((actor ->> 'id'::text)), created_at, id);

CREATE INDEX audit_logs_actor_name ON public.audit_logs USING btree (organization_id, lower(COALESCE((actor ->> 'email'::text), (actor ->> 'type'::text))), created_at, id);

CREATE INDEX audit_logs_event_type ON public.audit_logs USING btree (organization_id, event_type, created_at, id);

CREATE INDEX audit_logs_newest ON public.audit_logs USING btree (organization_id, created_at, id);

CREATE UNIQUE INDEX audit_logs_sequence ON public.audit_logs USING btree (organization_id, sequence) WHERE (sequence IS NOT NULL);

CREATE INDEX audit_logs_target ON public.audit_logs USING btree (organization_id, target_id, created_at, id);

CREATE INDEX audit_logs_target_type ON public.audit_logs USING btree (organization_id, target_type, created_at, id);

CREATE INDEX audit_logs_unsealed ON public.audit_logs USING btree (created_at, id) WHERE (sequence IS NULL);

CREATE INDEX auth_tokens_session ON public.auth_tokens USING btree (session_id);

CREATE INDEX billing_accounts_synced ON public.billing_accounts USING btree (synced_at);

CREATE INDEX ca_rotations_open ON public.ca_rotations USING btree (network_id) WHERE (step <> 'DONE'::text);

CREATE INDEX certificate_authorities_created ON public.certificate_authorities USING btree (organization_id, created_at, id);

CREATE UNIQUE INDEX certificate_authorities_signing ON public.certificate_authorities USING btree (network_id) WHERE (state = 'SIGNING'::text);

CREATE INDEX device_requests_organization ON public.device_requests USING btree (organization_id, created_at, id);

CREATE INDEX endpoint_auth_requests_of_host ON public.endpoint_auth_requests USING btree (host_id);

CREATE INDEX guarantees_of_organization ON public.guarantees USING btree (organization_id, created_at, id);

CREATE INDEX host_blocks_open ON public.host_blocks USING btree (organization_id, network_id) WHERE (completed_at IS NULL);

CREATE INDEX host_certificates_ending ON public.host_certificates USING btree (not_after);

CREATE INDEX host_certificates_of_ca ON public.host_certificates USING btree (ca_id);

CREATE INDEX host_certificates_of_host ON public.host_certificates USING btree (host_id);

CREATE INDEX host_certificates_revoked ON public.host_certificates USING btree (network_id) WHERE (revoked_at IS NOT NULL);

CREATE INDEX host_certificates_to_revoke ON public.host_certificates USING btree (revoke_after) WHERE ((revoke_after IS NOT NULL) AND (revoked_at IS NULL));

CREATE INDEX host_commands_queued ON public.host_commands USING btree (host_id, created_at) WHERE (state = 'queued'::text);

CREATE UNIQUE INDEX host_counts_cell ON public.host_counts USING btree (organization_id, tag, network_id, role_id, is_lighthouse, is_relay, is_blocked, is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version) NULLS NOT DISTINCT;

CREATE INDEX host_counts_empty ON public.host_counts USING btree (organization_id) WHERE (count = 0);

CREATE INDEX host_credentials_certificate ON public.host_credentials USING btree (certificate);

CREATE INDEX host_presence_of_network ON public.host_presence USING btree (network_id, last_seen_at, host_id);

CREATE INDEX host_presence_seen ON public.host_presence USING btree (organization_id, last_seen_at, host_id);

CREATE INDEX host_revisions_of_network ON public.host_revisions USING btree (network_id, revision) INCLUDE (host_id);

CREATE UNIQUE INDEX host_tag_set_counts_cell ON public.host_tag_set_counts USING btree (organization_id, tags_hash, network_id, role_id, is_lighthouse, is_relay, is_blocked, is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version) NULLS NOT DISTINCT;

CREATE INDEX host_tag_set_counts_empty ON public.host_tag_set_counts USING btree (organization_id) WHERE (count = 0);

CREATE INDEX host_tag_set_counts_of_tags ON public.host_tag_set_counts USING gin (tags);

CREATE INDEX host_tags_by_creation ON public.host_tags USING btree (organization_id, tag, created_at, host_id);

CREATE INDEX host_tags_by_name ON public.host_tags USING btree (organization_id, tag, name_key, host_id);

CREATE INDEX hosts_blocked ON public.hosts USING btree (organization_id, created_at, id) WHERE is_blocked;

CREATE INDEX hosts_by_address ON public.hosts USING btree (organization_id, ip_address, id);

CREATE INDEX hosts_by_creation ON public.hosts USING btree (organization_id, created_at, id);

CREATE INDEX hosts_by_name ON public.hosts USING btree (organization_id, name_key, id) INCLUDE (search_text, network_id, role_id, is_lighthouse, is_relay);

CREATE INDEX hosts_drifted ON public.hosts USING btree (organization_id, created_at, id) WHERE is_drifted;

CREATE INDEX hosts_expiring ON public.hosts USING btree (organization_id, certificate_expires_at) INCLUDE (network_id, is_blocked, is_lighthouse, is_relay, has_endpoint_user) WHERE (certificate_expires_at IS NOT NULL);

CREATE INDEX hosts_lighthouses ON public.hosts USING btree (organization_id, created_at, id) WHERE is_lighthouse;

CREATE INDEX hosts_never_enrolled ON public.hosts USING btree (organization_id, created_at, id) WHERE ((NOT is_enrolled) AND (NOT is_blocked));

CREATE INDEX hosts_of_agent ON public.hosts USING btree (organization_id, agent_name, agent_version);

CREATE INDEX hosts_of_ca ON public.hosts USING btree (ca_id);

CREATE INDEX hosts_of_endpoint_user ON public.hosts USING btree (organization_id, endpoint_oidc_user_id, created_at, id) WHERE (endpoint_oidc_user_id IS NOT NULL);

CREATE INDEX hosts_of_endpoint_users ON public.hosts USING btree (organization_id, created_at, id) WHERE has_endpoint_user;

CREATE INDEX hosts_of_network ON public.hosts USING btree (network_id, created_at, id);

CREATE INDEX hosts_of_role ON public.hosts USING btree (organization_id, role_id, created_at, id);

CREATE INDEX hosts_of_role_by_name ON public.hosts USING btree (organization_id, role_id, name_key, id);

CREATE INDEX hosts_of_tags ON public.hosts USING gin (tags);

CREATE INDEX hosts_offline ON public.hosts USING btree (organization_id, created_at, id) WHERE (is_enrolled AND (NOT is_online) AND (NOT is_blocked));

CREATE INDEX hosts_online ON public.hosts USING btree (organization_id, created_at, id) WHERE is_online;

CREATE INDEX hosts_relays ON public.hosts USING btree (organization_id, created_at, id) WHERE is_relay;

CREATE INDEX hosts_search ON public.hosts USING gin (search_text gin_trgm_ops);

CREATE INDEX hosts_with_role ON public.hosts USING btree (organization_id, created_at, id) WHERE (role_id IS NOT NULL);

CREATE INDEX invitations_email ON public.invitations USING btree (email);

CREATE INDEX invitations_organization ON public.invitations USING btree (organization_id, created_at, id);

CREATE INDEX jobs_open ON public.jobs USING btree (created_at) WHERE (state <> 'done'::text);

CREATE INDEX magic_links_email ON public.magic_links USING btree (email);

CREATE INDEX mail_jobs_next_attempt ON public.mail_jobs USING btree (next_attempt_at);

CREATE INDEX networks_created ON public.networks USING btree (organization_id, created_at, id);

CREATE UNIQUE INDEX networks_name_unique ON public.networks USING btree (organization_id, lower(name));

CREATE INDEX notification_channels_of_organization ON public.notification_channels USING btree (organization_id, created_at, id);

CREATE UNIQUE INDEX notification_deliveries_batch ON public.notification_deliveries USING btree (channel_id, first_sequence) WHERE (first_sequence IS NOT NULL);

CREATE INDEX notification_deliveries_of_channel ON public.notification_deliveries USING btree (channel_id, created_at, id);

CREATE INDEX notification_deliveries_pending ON public.notification_deliveries USING btree (next_attempt_at) WHERE (state = 'PENDING'::text);

CREATE INDEX notification_events_due ON public.notification_events USING btree (due_at);

CREATE INDEX notification_events_of_rule ON public.notification_events USING btree (rule_id, id);

CREATE INDEX notification_rules_of_organization ON public.notification_rules USING btree (organization_id, created_at, id);

CREATE INDEX oidc_requests_expiry ON public.oidc_requests USING btree (expires_at);

CREATE INDEX oidc_requests_of_endpoint ON public.oidc_requests USING btree (endpoint_request);

CREATE INDEX oidc_sessions_user ON public.oidc_sessions USING btree (oidc_user_id);

CREATE INDEX oidc_users_organization ON public.oidc_users USING btree (organization_id, created_at, id);

CREATE UNIQUE INDEX organization_domains_verified ON public.organization_domains USING btree (domain) WHERE (verified_at IS NOT NULL);

CREATE INDEX roles_created ON public.roles USING btree (organization_id, created_at, id);

CREATE UNIQUE INDEX roles_name_unique ON public.roles USING btree (organization_id, lower(name));

CREATE INDEX roles_rules ON public.roles USING gin (firewall_rules jsonb_path_ops);

CREATE INDEX route_subscriptions_of_route ON public.route_subscriptions USING btree (route_id);

CREATE INDEX routes_created ON public.routes USING btree (organization_id, created_at, id);

CREATE UNIQUE INDEX routes_name_unique ON public.routes USING btree (organization_id, lower(name));

CREATE INDEX routes_of_host ON public.routes USING btree (router_host_id);

CREATE INDEX routes_rules ON public.routes USING gin (firewall_rules jsonb_path_ops);

CREATE INDEX seen_signatures_old ON public.seen_signatures USING btree (seen_at);

CREATE INDEX sessions_user ON public.sessions USING btree (user_id);

CREATE INDEX tags_rules ON public.tags USING gin (firewall_rules jsonb_path_ops);

CREATE INDEX totp_authenticators_user ON public.totp_authenticators USING btree (user_id);

CREATE INDEX totp_setups_user ON public.totp_setups USING btree (user_id);

CREATE INDEX users_organization ON public.users USING btree (organization_id, created_at, id);

CREATE OR REPLACE FUNCTION public.delete_access_changes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      delete from access_changes where organization_id = old.id;
      return null;
    end$function$
;

CREATE OR REPLACE FUNCTION public.hosts_after_delete()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      with changes as (select *, -1 as delta from old_hosts), cells as (
        select changes.*, under.tag
        from changes cross join lateral (select '' as tag union all select unnest(tags)) under
      )
      insert into host_counts as counted (organization_id, tag, network_id, role_id, is_lighthouse, is_relay, is_blocked, is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version, count)
        select organization_id, tag, network_id, role_id, is_lighthouse, is_relay, is_blocked, is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version, sum(delta) from cells group by organization_id, tag, network_id, role_id, is_lighthouse, is_relay, is_blocked, is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version having sum(delta) <> 0
        on conflict (organization_id, tag, network_id, role_id, is_lighthouse, is_relay, is_blocked, is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version) do update set count = counted.count + excluded.count;
      delete from host_counts where count = 0 and organization_id in (select organization_id from old_hosts);
      with moved as (
        select network_id, sum(delta) as delta from (select *, -1 as delta from old_hosts) changes group by 1 having sum(delta) <> 0
      )
      update networks set host_count = host_count + moved.delta
        from moved where networks.id = moved.network_id;
      
  insert into free_addresses (network_id, address)
    select networks.id, old_hosts.ip_address
    from old_hosts join networks on networks.id = old_hosts.network_id
    where old_hosts.ip_address < networks.next_address;
      return null;
    end$function$
;

CREATE OR REPLACE FUNCTION public.hosts_after_insert()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      with changes as (select *, 1 as delta from new_hosts), cells as (
        select changes.*, under.tag
        from changes cross join lateral (select '' as tag union all select unnest(tags)) under
      )
      insert into host_counts as counted (organization_id, tag, network_id, role_id, is_lighthouse, is_relay, is_blocked, is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version, count)
        select organization_id, tag, network_id, role_id, is_lighthouse, is_relay, is_blocked, is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version, sum(delta) from cells group by organization_id, tag, network_id, role_id, is_lighthouse, is_relay, is_blocked, is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version having sum(delta) <> 0
        on conflict (organization_id, tag, network_id, role_id, is_lighthouse, is_relay, is_blocked, is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version) do update set count = counted.count + excluded.count;
      delete from host_counts where count = 0 and organization_id in (select organization_id from new_hosts);
      with moved as (
        select network_id, sum(delta) as delta from (select *, 1 as delta from new_hosts) changes group by 1 having sum(delta) <> 0
      )
      update networks set host_count = host_count + moved.delta
        from moved where networks.id = moved.network_id;
      
  insert into host_presence (host_id, organization_id, network_id)
    select id, organization_id, network_id from new_hosts;
  insert into host_tags (organization_id, host_id, tag, created_at, name_key)
    select organization_id, id, unnest(tags), created_at, name_key from new_hosts;
  delete from free_addresses free using new_hosts
    where free.network_id = new_hosts.network_id and free.address = new_hosts.ip_address;
      return null;
    end$function$
;

CREATE OR REPLACE FUNCTION public.hosts_after_update()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      with changes as (select *, 1 as delta from new_hosts union all select *, -1 from old_hosts), cells as (
        select changes.*, under.tag
        from changes cross join lateral (select '' as tag union all select unnest(tags)) under
      )
      insert into host_counts as counted (organization_id, tag, network_id, role_id, is_lighthouse, is_relay, is_blocked, is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version, count)
        select organization_id, tag, network_id, role_id, is_lighthouse, is_relay, is_blocked, is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version, sum(delta) from cells group by organization_id, tag, network_id, role_id, is_lighthouse, is_relay, is_blocked, is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version having sum(delta) <> 0
        on conflict (organization_id, tag, network_id, role_id, is_lighthouse, is_relay, is_blocked, is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version) do update set count = counted.count + excluded.count;
      delete from host_counts where count = 0 and organization_id in (select organization_id from new_hosts union select organization_id from old_hosts);
      with moved as (
        select network_id, sum(delta) as delta from (select *, 1 as delta from new_hosts union all select *, -1 from old_hosts) changes group by 1 having sum(delta) <> 0
      )
      update networks set host_count = host_count + moved.delta
        from moved where networks.id = moved.network_id;
      
  delete from host_tags using new_hosts
    where host_tags.host_id = new_hosts.id and host_tags.tag <> all (new_hosts.tags);
  insert into host_tags (organization_id, host_id, tag, created_at, name_key)
    select organization_id, id, unnest(tags), created_at, name_key from new_hosts on conflict do nothing;
  update host_tags set name_key = new_hosts.name_key from new_hosts
    where host_tags.host_id = new_hosts.id and host_tags.name_key <> new_hosts.name_key;
      return null;
    end$function$
;

CREATE OR REPLACE FUNCTION public.hosts_ipv6_after_delete()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$begin insert into free_addresses (network_id, address)
      select networks.id, old_hosts.ipv6_address
      from old_hosts join networks on networks.id = old_hosts.network_id
      where old_hosts.ipv6_address < networks.next_ipv6_address; return null; end$function$
;

CREATE OR REPLACE FUNCTION public.hosts_ipv6_after_insert()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$begin delete from free_addresses free using new_hosts
      where free.network_id = new_hosts.network_id and free.address = new_hosts.ipv6_address; return null; end$function$
;

CREATE OR REPLACE FUNCTION public.hosts_tag_sets_after_delete()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      insert into host_tag_set_counts as counted (tags, organization_id, tags_hash, network_id, role_id, is_lighthouse, is_relay, is_blocked, is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version, count)
        select tags, organization_id, tags_hash, network_id, role_id, is_lighthouse, is_relay, is_blocked, is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version, sum(delta) from (select *, sha256(convert_to(tags::text, 'UTF8')) as tags_hash from (select *, -1 as delta from old_hosts) hosts where cardinality(tags) > 1) changes
        group by tags, organization_id, tags_hash, network_id, role_id, is_lighthouse, is_relay, is_blocked, is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version having sum(delta) <> 0
        on conflict (organization_id, tags_hash, network_id, role_id, is_lighthouse, is_relay, is_blocked, is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version) do update set count = counted.count + excluded.count;
      if found then
        delete from host_tag_set_counts
          where count = 0 and organization_id in (select organization_id from old_hosts);
      end if;
      return null;
    end$function$
;

CREATE OR REPLACE FUNCTION public.hosts_tag_sets_after_insert()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      insert into host_tag_set_counts as counted (tags, organization_id, tags_hash, network_id, role_id, is_lighthouse, is_relay, is_blocked, is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version, count)
        select tags, organization_id, tags_hash, network_id, role_id, is_lighthouse, is_relay, is_blocked, is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version, sum(delta) from (select *, sha256(convert_to(tags::text, 'UTF8')) as tags_hash from (select *, 1 as delta from new_hosts) hosts where cardinality(tags) > 1) changes
        group by tags, organization_id, tags_hash, network_id, role_id, is_lighthouse, is_relay, is_blocked, is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version having sum(delta) <> 0
        on conflict (organization_id, tags_hash, network_id, role_id, is_lighthouse, is_relay, is_blocked, is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version) do update set count = counted.count + excluded.count;
      if found then
        delete from host_tag_set_counts
          where count = 0 and organization_id in (select organization_id from new_hosts);
      end if;
      return null;
    end$function$
;

CREATE OR REPLACE FUNCTION public.hosts_tag_sets_after_update()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      insert into host_tag_set_counts as counted (tags, organization_id, tags_hash, network_id, role_id, is_lighthouse, is_relay, is_blocked, is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version, count)
        select tags, organization_id, tags_hash, network_id, role_id, is_lighthouse, is_relay, is_blocked, is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version, sum(delta) from (select *, sha256(convert_to(tags::text, 'UTF8')) as tags_hash from (select *, 1 as delta from new_hosts union all select *, -1 as delta from old_hosts) hosts where cardinality(tags) > 1) changes
        group by tags, organization_id, tags_hash, network_id, role_id, is_lighthouse, is_relay, is_blocked, is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version having sum(delta) <> 0
        on conflict (organization_id, tags_hash, network_id, role_id, is_lighthouse, is_relay, is_blocked, is_enrolled, is_online, is_drifted, has_endpoint_user, agent_name, agent_version) do update set count = counted.count + excluded.count;
      if found then
        delete from host_tag_set_counts
          where count = 0 and organization_id in (select organization_id from new_hosts);
      end if;
      return null;
    end$function$
;

CREATE OR REPLACE FUNCTION public.log_access_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare
      changed jsonb := to_jsonb(case when tg_op = 'DELETE' then old else new end);
    begin
      if tg_op = 'DELETE' and not exists (select from organizations where id = changed ->> 'organization_id') then
        return null;
      end if;
      insert into access_changes (organization_id, kind, key)
        values (changed ->> 'organization_id', tg_argv[0], changed ->> tg_argv[1]);
      return null;
    end$function$
;

CREATE OR REPLACE FUNCTION public.log_access_delete()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        insert into access_changes (organization_id, kind, key)
          select organization_id, 'host', id from changed_hosts;
        return null;
      end$function$
;

CREATE OR REPLACE FUNCTION public.log_access_insert()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        insert into access_changes (organization_id, kind, key)
          select organization_id, 'host', id from changed_hosts;
        return null;
      end$function$
;

CREATE TRIGGER log_access_change AFTER INSERT OR DELETE OR UPDATE ON public.certificate_authorities FOR EACH ROW EXECUTE FUNCTION log_access_change('network', 'network_id');

CREATE TRIGGER log_access_change AFTER INSERT OR DELETE OR UPDATE ON public.guarantees FOR EACH ROW EXECUTE FUNCTION log_access_change('guarantee', 'id');

CREATE TRIGGER log_access_insert AFTER INSERT ON public.host_reports FOR EACH ROW WHEN ((new.nebula_version IS NOT NULL)) EXECUTE FUNCTION log_access_change('host', 'host_id');

CREATE TRIGGER log_access_update AFTER UPDATE OF nebula_version ON public.host_reports FOR EACH ROW WHEN ((old.nebula_version IS DISTINCT FROM new.nebula_version)) EXECUTE FUNCTION log_access_change('host', 'host_id');

CREATE TRIGGER after_delete AFTER DELETE ON public.hosts REFERENCING OLD TABLE AS old_hosts FOR EACH STATEMENT EXECUTE FUNCTION hosts_after_delete();

CREATE TRIGGER after_insert AFTER INSERT ON public.hosts REFERENCING NEW TABLE AS new_hosts FOR EACH STATEMENT EXECUTE FUNCTION hosts_after_insert();

CREATE TRIGGER after_update AFTER UPDATE ON public.hosts REFERENCING OLD TABLE AS old_hosts NEW TABLE AS new_hosts FOR EACH STATEMENT EXECUTE FUNCTION hosts_after_update();

CREATE TRIGGER ipv6_after_delete AFTER DELETE ON public.hosts REFERENCING OLD TABLE AS old_hosts FOR EACH STATEMENT EXECUTE FUNCTION hosts_ipv6_after_delete();

CREATE TRIGGER ipv6_after_insert AFTER INSERT ON public.hosts REFERENCING NEW TABLE AS new_hosts FOR EACH STATEMENT EXECUTE FUNCTION hosts_ipv6_after_insert();

CREATE TRIGGER log_access_address AFTER UPDATE OF ipv6_address ON public.hosts FOR EACH ROW WHEN ((old.ipv6_address IS DISTINCT FROM new.ipv6_address)) EXECUTE FUNCTION log_access_change('host', 'id');

CREATE TRIGGER log_access_delete AFTER DELETE ON public.hosts REFERENCING OLD TABLE AS changed_hosts FOR EACH STATEMENT EXECUTE FUNCTION log_access_delete();

CREATE TRIGGER log_access_insert AFTER INSERT ON public.hosts REFERENCING NEW TABLE AS changed_hosts FOR EACH STATEMENT EXECUTE FUNCTION log_access_insert();

CREATE TRIGGER log_access_update AFTER UPDATE OF name, role_id, tags, is_blocked, enrolled_at, ca_id, certificate_expires_at ON public.hosts FOR EACH ROW WHEN (((old.name IS DISTINCT FROM new.name) OR (old.role_id IS DISTINCT FROM new.role_id) OR (old.tags IS DISTINCT FROM new.tags) OR (old.is_blocked IS DISTINCT FROM new.is_blocked) OR (old.enrolled_at IS DISTINCT FROM new.enrolled_at) OR (old.ca_id IS DISTINCT FROM new.ca_id) OR (old.certificate_expires_at IS DISTINCT FROM new.certificate_expires_at))) EXECUTE FUNCTION log_access_change('host', 'id');

CREATE TRIGGER tag_sets_after_delete AFTER DELETE ON public.hosts REFERENCING OLD TABLE AS old_hosts FOR EACH STATEMENT EXECUTE FUNCTION hosts_tag_sets_after_delete();

CREATE TRIGGER tag_sets_after_insert AFTER INSERT ON public.hosts REFERENCING NEW TABLE AS new_hosts FOR EACH STATEMENT EXECUTE FUNCTION hosts_tag_sets_after_insert();

CREATE TRIGGER tag_sets_after_update AFTER UPDATE ON public.hosts REFERENCING OLD TABLE AS old_hosts NEW TABLE AS new_hosts FOR EACH STATEMENT EXECUTE FUNCTION hosts_tag_sets_after_update();

CREATE TRIGGER log_access_change AFTER INSERT OR DELETE OR UPDATE OF name ON public.networks FOR EACH ROW EXECUTE FUNCTION log_access_change('network', 'id');

CREATE TRIGGER log_access_cidrs AFTER UPDATE OF cidr, ipv6_cidr ON public.networks FOR EACH ROW WHEN ((((old.cidr)::inet IS DISTINCT FROM (new.cidr)::inet) OR ((old.ipv6_cidr)::inet IS DISTINCT FROM (new.ipv6_cidr)::inet))) EXECUTE FUNCTION log_access_change('network', 'id');

CREATE TRIGGER delete_access_changes AFTER DELETE ON public.organizations FOR EACH ROW EXECUTE FUNCTION delete_access_changes();

CREATE TRIGGER log_access_change AFTER INSERT OR DELETE OR UPDATE ON public.roles FOR EACH ROW EXECUTE FUNCTION log_access_change('role', 'id');

CREATE TRIGGER log_access_change AFTER INSERT OR DELETE OR UPDATE ON public.route_subscriptions FOR EACH ROW EXECUTE FUNCTION log_access_change('tag', 'tag');

CREATE TRIGGER log_access_change AFTER INSERT OR DELETE OR UPDATE ON public.routes FOR EACH ROW EXECUTE FUNCTION log_access_change('route', 'id');

CREATE TRIGGER log_access_change AFTER INSERT OR DELETE OR UPDATE ON public.tags FOR EACH ROW EXECUTE FUNCTION log_access_change('tag', 'name');
