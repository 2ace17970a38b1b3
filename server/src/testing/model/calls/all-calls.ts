/** Every call of the model, with how often it is made. */
import { agentCalls } from "./agents.ts";
import { apiKeyCalls } from "./api-keys.ts";
import { bulkCalls } from "./bulk-changes.ts";
import { certificateAuthorityCalls } from "./certificate-authorities.ts";
import type { CallFactories } from "./factories.ts";
import { guaranteeCalls } from "./guarantees.ts";
import { hostAccessCalls } from "./host-access.ts";
import { hostCalls } from "./hosts.ts";
import { memberCalls } from "./members.ts";
import { networkCalls } from "./networks.ts";
import { notificationCalls } from "./notifications.ts";
import { roleCalls } from "./roles.ts";
import { routeCalls } from "./routes.ts";
import { tagCalls } from "./tags.ts";

export const allCalls: CallFactories = {
  ...networkCalls,
  ...hostCalls,
  ...hostAccessCalls,
  ...bulkCalls,
  ...agentCalls,
  ...roleCalls,
  ...tagCalls,
  ...routeCalls,
  ...guaranteeCalls,
  ...certificateAuthorityCalls,
  ...apiKeyCalls,
  ...memberCalls,
  ...notificationCalls,
};

/** Calls that lead to more interesting states; all others have the weight 2. */
const weights: Record<string, number> = {
  createNetwork: 6,
  createHost: 9,
  createHostAndCode: 12,
  enrollHost: 14,
  updateAgent: 14,
  updateHost: 6,
  createRole: 4,
  updateRole: 4,
  createRoute: 4,
  createTag: 3,
  updateTag: 5,
  runBackground: 3,
  rotateCa: 3,
  createGuarantee: 3,
  createApiKey: 3,
  deleteNetwork: 1,
  leaveOrganization: 1,
  finishUpgrade: 1,
};

export const weightOf = (name: string): number => weights[name] ?? 2;

/** Not one request, or changes who may send the others of the batch. */
const alone = new Set([
  "acceptInvitation",
  "updateAgent",
  "runBackground",
  "bulkHosts",
  ...Object.keys(memberCalls),
]);

export const concurrentCalls = Object.keys(allCalls).filter((name) => !alone.has(name));
