/** The descriptions and examples of all fields of the API. */
import type { FieldTable } from "../field.ts";
import { accessFields } from "./access.ts";
import { administrationFields } from "./administration.ts";
import { agentFields } from "./agents.ts";
import { commonFields } from "./common.ts";
import { healthFields } from "./health.ts";
import { hostFields } from "./hosts.ts";
import { mapFields } from "./map.ts";
import { notificationFields } from "./notifications.ts";
import { peopleFields } from "./people.ts";
import { ruleFields } from "./rules.ts";

export { fieldsByNoun } from "./by-noun.ts";

/** No two tables have the same key. */
export const tables: readonly FieldTable[] = [
  commonFields,
  hostFields,
  healthFields,
  mapFields,
  notificationFields,
  ruleFields,
  accessFields,
  administrationFields,
  peopleFields,
  agentFields,
];

export const fields: FieldTable = Object.fromEntries(tables.flatMap((table) => Object.entries(table)));
