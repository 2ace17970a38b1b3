import * as contract from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { createImportParser, type ImportParserOptions } from "./import-parser.ts";
import { applyImport, planImport } from "./import.service.ts";

/** Per 15 minutes: enough for a pipeline that plans on every commit. */
const PLANS_PER_ORGANIZATION_MAX = 60;

export function serveImport(routes: Routes, ctx: Context, options?: ImportParserOptions): void {
  const parseFile = createImportParser(options);
  routes.writeUnaudited(
    contract.planImport,
    ({ actor, now, body }) => planImport(ctx, { actor, now, file: body, parseFile }),
    {
      limits: ({ actor }) => [
        { name: "import:organization", subject: actor.organization.id, max: PLANS_PER_ORGANIZATION_MAX },
      ],
    },
  );
  routes.write(contract.applyImport, ({ actor, now, body }, tx) =>
    applyImport(ctx, tx, { actor, now, planToken: body.planToken }),
  );
}
