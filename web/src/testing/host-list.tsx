/** The list of hosts with three sample hosts. */
import {
  listDeviceRequests,
  listHostsV2,
  listNetworksV2,
  listRoles,
  listTags,
  type HostV2,
} from "@lightkeeper/contract";
import { screen } from "@testing-library/react";
import { HostsPage } from "../hosts/hosts-page.tsx";
import { renderRoutes } from "./render.tsx";
import { enrolledHost, network, role, tag } from "./samples.ts";
import { page, transport, type Transport } from "./transport.ts";

const idOf = (name: string) =>
  `host-${name
    .toUpperCase()
    .replaceAll(/[^A-Z]/g, "")
    .padEnd(26, "A")}`;
export const hostNamed = (name: string, more: Partial<HostV2> = {}): HostV2 => ({
  ...enrolledHost,
  id: idOf(name),
  name,
  ...more,
});
export const staging = { ...network, id: `network-${"B".repeat(26)}`, name: "Staging" };
export const web = hostNamed("web", { roleID: role.id, tags: ["env:prod", "site:fra", "team:web"] });
export const db = hostNamed("db", { networkID: staging.id });
export const cache = hostNamed("cache");

export function serveHosts(hosts: HostV2[] = [web, db, cache]): Transport {
  return transport()
    .on(listHostsV2, () => page(hosts))
    .on(listDeviceRequests, () => [])
    .on(listNetworksV2, () => page([network, staging]))
    .on(listRoles, () => page([role]))
    .on(listTags, () => page([tag]));
}

export function openHosts(at = "/hosts") {
  return renderRoutes(
    [
      ...["/hosts", "/lighthouses", "/relays"].map((path) => ({ path, element: <HostsPage /> })),
      { path: "*", element: <p>Elsewhere</p> },
    ],
    at,
  );
}
export const rowOf = async (name: string) => (await screen.findByRole("link", { name })).closest("tr")!;
export const hostQueries = (api: Transport) => api.calls(listHostsV2).map(({ query }) => query);
export const lastHostQuery = (api: Transport) => hostQueries(api).at(-1);
