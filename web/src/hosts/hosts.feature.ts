import type { Feature, FeaturePage, SidebarEntry } from "../lib/feature.ts";
import { hostKinds, type HostKind } from "../references/host-link.tsx";
import { HostsIcon, LighthouseIcon, RelayIcon } from "../ui/base/icons.tsx";

const hostPage = (base: string): FeaturePage => ({
  path: `${base}/:hostID`,
  load: async () => (await import("./host-page.tsx")).HostPage,
  children: [
    {
      load: async () => (await import("./host-overview.tsx")).HostOverview,
      children: [
        { index: true },
        {
          path: "block",
          access: "dialogWriter",
          load: async () => (await import("./block-host-dialog.tsx")).BlockHostDialog,
        },
        {
          path: "delete",
          access: "dialogWriter",
          load: async () => (await import("./delete-host-dialog.tsx")).DeleteHostDialog,
        },
      ],
    },
    { path: "config", load: async () => (await import("./host-config.tsx")).HostConfig },
    { path: "debug", access: "writer", load: async () => (await import("./host-debug.tsx")).HostDebug },
  ],
});

/** Hosts, lighthouses and relays have the same pages at three paths. */
function pagesOf(kind: HostKind, icon: SidebarEntry["icon"], goKey: string): FeaturePage[] {
  const { label, path } = hostKinds[kind];
  return [
    {
      path,
      load: async () => (await import("./hosts-page.tsx")).HostsPage,
      sidebar: { label, ...(icon && { icon }), goKey, filtersByNetwork: true, adds: kind },
    },
    {
      path: `${path}/add`,
      access: "writer",
      load: async () => (await import("./host-add-page.tsx")).HostAddPage,
    },
    hostPage(path),
    {
      path: `${path}/:hostID/edit`,
      access: "writer",
      load: async () => (await import("./host-edit-page.tsx")).HostEditPage,
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
