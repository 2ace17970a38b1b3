import { type Kysely, type Migration, Migrator } from "kysely";
import * as m0001 from "./migrations/0001_accounts_and_networks.ts";
import * as m0002 from "./migrations/0002_api_keys.ts";
import * as m0003 from "./migrations/0003_role_host_count.ts";
import * as m0004 from "./migrations/0004_add_hosts.ts";
import * as m0005 from "./migrations/0005_agents.ts";
import * as m0006 from "./migrations/0006_keep_given_configs.ts";
import * as m0007 from "./migrations/0007_narrowed_hosts.ts";
import * as m0008 from "./migrations/0008_members.ts";
import * as m0009 from "./migrations/0009_audit_filters.ts";
import * as m0010 from "./migrations/0010_billing.ts";
import * as m0011 from "./migrations/0011_single_sign_on.ts";
import * as m0012 from "./migrations/0012_search_hosts_by_name.ts";
import * as m0013 from "./migrations/0013_notices.ts";
import * as m0014 from "./migrations/0014_rate_limit_windows.ts";
import * as m0015 from "./migrations/0015_inviters_and_key_creators.ts";
import * as m0016 from "./migrations/0016_sso_admission_and_devices.ts";
import * as m0017 from "./migrations/0017_parsed_import_plans.ts";
import * as m0018 from "./migrations/0018_totp_recent_steps.ts";
import * as m0019 from "./migrations/0019_known_browsers_and_setup_codes.ts";
import type { Tables } from "./tables.ts";

/** Forward only; an entry is never edited once it has landed. */
export const migrations: Record<string, Migration> = {
  "0001_accounts_and_networks": m0001,
  "0002_api_keys": m0002,
  "0003_role_host_count": m0003,
  "0004_add_hosts": m0004,
  "0005_agents": m0005,
  "0006_keep_given_configs": m0006,
  "0007_narrowed_hosts": m0007,
  "0008_members": m0008,
  "0009_audit_filters": m0009,
  "0010_billing": m0010,
  "0011_single_sign_on": m0011,
  "0012_search_hosts_by_name": m0012,
  "0013_notices": m0013,
  "0014_rate_limit_windows": m0014,
  "0015_inviters_and_key_creators": m0015,
  "0016_sso_admission_and_devices": m0016,
  "0017_parsed_import_plans": m0017,
  "0018_totp_recent_steps": m0018,
  "0019_known_browsers_and_setup_codes": m0019,
};

export interface MigrateOptions {
  through?: string;
  /** The connection is in a transaction already, of which this becomes a part. */
  isPart?: boolean;
}

export async function migrate(
  db: Kysely<Tables>,
  { through, isPart = false }: MigrateOptions = {},
): Promise<string[]> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(migrations) },
    disableTransactions: isPart,
  });
  const { error, results = [] } = through
    ? await migrator.migrateTo(through)
    : await migrator.migrateToLatest();
  if (error) throw error;
  return results.map(({ migrationName }) => migrationName);
}
