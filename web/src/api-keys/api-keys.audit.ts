import { describeAddedOrRemoved } from "../references/audit-changes.ts";
import { textsOf } from "../references/audit-snapshots.ts";
import type { AuditTarget } from "../references/audit-target.ts";
import { apiKeyPath } from "./api-key-link.tsx";

export const apiKey: AuditTarget = {
  label: "API keys",
  noun: "API key",
  path: apiKeyPath,
  fields: { scopes: { describe: describeAddedOrRemoved(textsOf) } },
  updated: (_entry, { after }, objectParts) =>
    after?.rotated === true ? ["replaced the token of ", ...objectParts] : undefined,
};
