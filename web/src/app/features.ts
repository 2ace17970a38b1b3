/** Every feature of the console, in the order of the sidebar. A new feature needs a line here and nowhere else in `app/`. */
import { auth } from "../auth/auth.feature.ts";
import { getStarted } from "../get-started/get-started.feature.ts";
import { hosts } from "../hosts/hosts.feature.ts";
import { hostsAdd } from "../hosts-add/hosts-add.feature.ts";
import { map } from "../map/map.feature.ts";
import { enrollment } from "../enrollment/enrollment.feature.ts";
import { routes } from "../routes/routes.feature.ts";
import { roles } from "../roles/roles.feature.ts";
import { access } from "../access/access.feature.ts";
import { lint } from "../lint/lint.feature.ts";
import { guarantees } from "../guarantees/guarantees.feature.ts";
import { certificateAuthorities } from "../certificate-authorities/certificate-authorities.feature.ts";
import { tags } from "../tags/tags.feature.ts";
import { audit } from "../audit/audit.feature.ts";
import { billing } from "../billing/billing.feature.ts";
import { networks } from "../networks/networks.feature.ts";
import { apiKeys } from "../api-keys/api-keys.feature.ts";
import { notifications } from "../notifications/notifications.feature.ts";
import { sso } from "../sso/sso.feature.ts";
import { settings } from "../settings/settings.feature.ts";
import { support } from "../support/support.feature.ts";
import { downloads } from "../downloads/downloads.feature.ts";
import type { Feature } from "../lib/feature.ts";

export const features: readonly Feature[] = [
  auth,
  getStarted,
  hosts,
  hostsAdd,
  map,
  enrollment,
  routes,
  roles,
  access,
  guarantees,
  lint,
  certificateAuthorities,
  tags,
  audit,
  billing,
  networks,
  apiKeys,
  notifications,
  sso,
  settings,
  support,
  downloads,
];
