/** How each type of object is described. A type without a line here doesn't compile. */
import type { AuditTargetType } from "@lightkeeper/contract";
import { apiKey } from "../api-keys/api-keys.audit.ts";
import { billing } from "../billing/billing.audit.ts";
import { ca } from "../certificate-authorities/certificate-authorities.audit.ts";
import { guarantee } from "../guarantees/guarantees.audit.ts";
import { host } from "../hosts/hosts.audit.ts";
import { network } from "../networks/networks.audit.ts";
import { notificationChannel, notificationRule } from "../notifications/notifications.audit.ts";
import type { AuditTarget } from "../references/audit-target.ts";
import { role } from "../roles/roles.audit.ts";
import { route } from "../routes/routes.audit.ts";
import { organization, totp, user } from "../settings/settings.audit.ts";
import { deviceRequest, domain, oidcProvider } from "../sso/sso.audit.ts";
import { tag } from "../tags/tags.audit.ts";

export const auditTargets: Readonly<Record<AuditTargetType, AuditTarget>> = {
  apiKey,
  ca,
  guarantee,
  host,
  network,
  oidcProvider,
  role,
  user,
  route,
  tag,
  totp,
  billing,
  organization,
  domain,
  deviceRequest,
  notificationChannel,
  notificationRule,
};
