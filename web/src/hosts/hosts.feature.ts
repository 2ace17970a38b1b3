import type { ComponentType } from "react";
import type { Feature, FeaturePage } from "../lib/feature.ts";
import { hostKinds, type HostKind } from "../references/host-link.tsx";
import { HostsIcon, LighthouseIcon, RelayIcon } from "../ui/base/icons.tsx";

const hostPage = (base: string): FeaturePage => ({
  path: `${base}/:hostID`,
  load: () => import("./host-page.tsx").then((module) => module.HostPage),
  children: [
    {
      load: () => import("./host-overview.tsx").then((module) => module.HostOverview),
      children: [
        { index: true },
        {
          path: "block",
          access: "dialogWriter",
          load: () => import("./block-host-dialog.tsx").then((module) => module.BlockHostDialog),
        },
        {
          path: "delete",
          access: "dialogWriter",
          load: () => import("./delete-host-dialog.tsx").then((module) => module.DeleteHostDialog),
        },
      ],
    },
    { path: "config", load: () => import("./host-config.tsx").then((module) => module.HostConfig) },
    {
      path: "debug",
      access: "writer",
      load: () => import("./host-debug.tsx").then((module) => module.HostDebug),
    },
  ],
});

/** Hosts, lighthouses and relays have the same pages at three paths. */
function pagesOf(kind: HostKind, icon: ComponentType, goKey: string): FeaturePage[] {
  const { label, path } = hostKinds[kind];
  return [
    {
      path,
      load: () => import("./hosts-page.tsx").then((module) => module.HostsPage),
      sidebar: { label, icon, goKey, filtersByNetwork: true, adds: kind },
    },
    {
      path: `${path}/add`,
      access: "writer",
      load: () => import("./host-add-page.tsx").then((module) => module.HostAddPage),
    },
    hostPage(path),
    {
      path: `${path}/:hostID/edit`,
      access: "writer",
      load: () => import("./host-edit-page.tsx").then((module) => module.HostEditPage),
    },
  ];
}

export const hosts: Feature = {
  pages: [
    ...pagesOf("host", HostsIcon, "h"),
    ...pagesOf("lighthouse", LighthouseIcon, "l"),
    ...pagesOf("relay", RelayIcon, "e"),
  ],
};
