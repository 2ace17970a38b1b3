import type { Feature } from "../lib/feature.ts";
import { NETWORK_ADD_PATH, NETWORKS_PATH } from "../references/network-link.tsx";

export const networks: Feature = {
  pages: [
    {
      path: NETWORKS_PATH,
      load: () => import("./networks-page.tsx").then((module) => module.NetworksPage),
      sidebar: { label: "Networks", section: "settings", goKey: "n", adds: "network" },
    },
    {
      path: NETWORK_ADD_PATH,
      access: "writer",
      load: () => import("./network-add-page.tsx").then((module) => module.NetworkAddPage),
    },
    {
      path: `${NETWORKS_PATH}/:networkID`,
      load: () => import("./network-edit-page.tsx").then((module) => module.NetworkEditPage),
    },
    {
      path: `${NETWORKS_PATH}/:networkID/upgrade/:action?`,
      load: () => import("./network-upgrade-page.tsx").then((module) => module.NetworkUpgradePage),
    },
  ],
};
