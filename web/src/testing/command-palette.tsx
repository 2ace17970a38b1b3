/** The command palette in the main layout, with one network and one host to find. */
import {
  type CurrentUser,
  getFeatureFlags,
  listGuarantees,
  listHostsV2,
  listMembers,
  listNetworksV2,
  listRoles,
  listRoutes,
  listTags,
  signOut,
  whoami,
} from "@lightkeeper/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, vi } from "vitest";
import { MainLayout } from "../app/main-layout.tsx";
import { renderRoutes, signIn } from "./render.tsx";
import { host, network, user } from "./samples.ts";
import { page, transport, type Transport } from "./transport.ts";

export let server: Transport;

export function signInBeforeEach(): void {
  beforeEach(() => {
    signIn();
    vi.stubGlobal("matchMedia", () => new EventTarget());
  });
}

export function showLayout(at = "/settings/networks", person: CurrentUser = user) {
  server = transport()
    .on(whoami, () => person)
    .on(signOut, () => ({}))
    .on(getFeatureFlags, () => ({}))
    .on(listNetworksV2, () => page([network]))
    .on(listHostsV2, ({ query }) => page(host.name.includes(query["filter.search"] ?? "") ? [host] : []))
    .on(listMembers, () => page([]))
    .on(listRoles, () => page([]))
    .on(listTags, () => page([]))
    .on(listRoutes, () => page([]))
    .on(listGuarantees, () => page([]));
  const children = [
    { path: "/settings/networks", element: <input aria-label="Search networks" /> },
    { path: "*", element: <h1>Elsewhere</h1> },
  ];
  return renderRoutes([{ Component: MainLayout, children }], at);
}

export async function openPalette(at?: string, person?: CurrentUser) {
  const shown = showLayout(at, person);
  await shown.user.keyboard("{Control>}k{/Control}");
  const dialog = await screen.findByRole("dialog", { name: "Search and commands" });
  const input = await within(dialog).findByRole("combobox", { name: "Search and commands" });
  await waitFor(() => expect(document.activeElement).toBe(input));
  return { ...shown, dialog: within(dialog), input };
}
export const options = () => screen.getAllByRole("option").map(({ textContent }) => textContent);
export const expectClosed = () => waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
