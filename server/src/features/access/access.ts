/** Puts the parts of access together. */
import type { Context } from "../../infrastructure/context/context.ts";
import type { PreviewWork } from "../../infrastructure/http/dry-runs.ts";
import { createAccessGuard } from "./access-guard.ts";
import { createAccessModels } from "./access-models.ts";
import type { LoadNetworks } from "./answers/loaded-network.ts";
import { createNetworkLoader } from "./load-networks.ts";
import { createPreview } from "./preview.ts";

export interface Access {
  networks: LoadNetworks;
  previewWork: PreviewWork;
}

/** From now on, every write of the context is checked. */
export function createAccess(ctx: Context): Access {
  const models = createAccessModels(ctx);
  ctx.guards.push(createAccessGuard(ctx, models));
  return { networks: createNetworkLoader(models), previewWork: createPreview(ctx, models) };
}
