/** Deleting a role or tag that is in use. */
import * as z from "zod/mini";
import { access } from "./endpoint.ts";
import { extension, query } from "./fields.ts";
import type { Scope } from "./nouns.ts";

export const detachQuery = {
  detach: extension(
    z._default(z.optional(query.flag()), false),
    "Remove it from all hosts and rules in the same transaction. A rule left without a role and tags is removed.",
  ),
};

/** With `detach=true` an API key also needs the scopes of everything that is updated. */
export const deletionAccess = (scope: Scope) => ({
  ...access.scope(scope),
  scopesWhen: { detach: ["hosts:update", "roles:update", "tags:update", "routes:update"] as const },
});
