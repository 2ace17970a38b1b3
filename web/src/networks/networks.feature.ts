import type { Feature } from "../lib/feature.ts";
import { NETWORK_ADD_PATH, NETWORKS_PATH } from "../references/network-link.tsx";

export const networks: Feature = {
  pages: [
    {
      path: NETWORKS_PATH,
      load: async () => (await import("./networks-page.tsx")).NetworksPage,
      sidebar: { label: "Networks", section: "settings", goKey: "n", adds: "network" },
    },
    {
      path: NETWORK_ADD_PATH,
      access: "writer",
      load: async () => (await import("./network-add-page.tsx")).NetworkAddPage,
    },
    {
      path: `${NETWORKS_PATH}/:networkID`,
      load: async () => (await import("./network-edit-page.tsx")).NetworkEditPage,
    },
  ],
};
