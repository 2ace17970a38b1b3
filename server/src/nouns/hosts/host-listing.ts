import type { HostFilter, hostSorts } from "@lightkeeper/contract";
import type { SelectQueryBuilder } from "kysely";
import type { Tables } from "../../infrastructure/db/tables.ts";

export type SortKey = (typeof hostSorts)[number];
export type HostSort = SortKey | `-${SortKey}`;

export interface HostListing {
  organizationID: string;
  filter: HostFilter;
  sort?: HostSort | undefined;
  /** The newest version of the agent. */
  agentVersion: string;
  now: Date;
}

export type MatchingHosts = SelectQueryBuilder<Tables, "hosts", object>;
