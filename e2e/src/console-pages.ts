/** Every page of the console, for the organization of a fleet with three boats, of which the second is blocked. */
import type { Fleet } from "./fleet.ts";

export interface ConsolePage {
  what: string;
  path: (fleet: Fleet) => string;
  /** The heading, without the title of a dialog above the page. */
  name: string;
  title: string;
}

const at = (what: string, path: (fleet: Fleet) => string, name: string, title = name): ConsolePage => ({
  what,
  path,
  name,
  title,
});

export const consolePages: readonly ConsolePage[] = [
  at("hosts", () => "/hosts", "Hosts · 4", "Hosts"),
  at("add a host", () => "/hosts/add", "Add host"),
  at("add several hosts", () => "/hosts/add-several", "Add several hosts"),
  at("a host", ({ boats }) => `/hosts/${boats[0]!.id}`, "boat-01"),
  at("a host's config", ({ boats }) => `/hosts/${boats[0]!.id}/config`, "boat-01"),
  at("a host's activity", ({ boats }) => `/hosts/${boats[0]!.id}/activity`, "boat-01"),
  at("a host's debugging", ({ boats }) => `/hosts/${boats[0]!.id}/debug`, "boat-01", "Debug boat-01"),
  at("editing a host", ({ boats }) => `/hosts/${boats[0]!.id}/edit`, "Edit boat-01"),
  at("enrolling a host", ({ boats }) => `/hosts/${boats[0]!.id}/enroll`, "Enroll boat-01"),
  at("unblocking a host", ({ boats }) => `/hosts/${boats[1]!.id}/unblock`, "Unblock boat-02"),
  at("lighthouses", () => "/lighthouses", "Lighthouses · 1", "Lighthouses"),
  at("add a lighthouse", () => "/lighthouses/add", "Add lighthouse"),
  at("a lighthouse", ({ lighthouse }) => `/lighthouses/${lighthouse.id}`, "beacon"),
  at(
    "a lighthouse's debugging",
    ({ lighthouse }) => `/lighthouses/${lighthouse.id}/debug`,
    "beacon",
    "Debug beacon",
  ),
  at("editing a lighthouse", ({ lighthouse }) => `/lighthouses/${lighthouse.id}/edit`, "Edit beacon"),
  at("enrolling a lighthouse", ({ lighthouse }) => `/lighthouses/${lighthouse.id}/enroll`, "Enroll beacon"),
  at("relays", () => "/relays", "Relays · 1", "Relays"),
  at("add a relay", () => "/relays/add", "Add relay"),
  at("a relay", ({ relay }) => `/relays/${relay.id}`, "buoy"),
  at("a relay's debugging", ({ relay }) => `/relays/${relay.id}/debug`, "buoy", "Debug buoy"),
  at("editing a relay", ({ relay }) => `/relays/${relay.id}/edit`, "Edit buoy"),
  at("enrolling a relay", ({ relay }) => `/relays/${relay.id}/enroll`, "Enroll buoy"),
  at("roles", () => "/roles", "Roles · 3", "Roles"),
  at("add a role", () => "/roles/add", "Add role"),
  at("a copy of a role", ({ ferry }) => `/roles/add?copy=${ferry.id}`, "Add role"),
  at("a role", ({ ferry }) => `/roles/${ferry.id}`, "Edit Ferry"),
  at("the access matrix", () => "/access/matrix", "Access matrix"),
  at("the access of a host", ({ boats }) => `/hosts/${boats[0]!.id}/access`, "boat-01"),
  at("guarantees", () => "/guarantees", "Guarantees · 0", "Guarantees"),
  at("routes", () => "/routes", "Routes · 1", "Routes"),
  at("add a route", () => "/routes/add", "Add route"),
  at("a route", ({ route }) => `/routes/${route.id}`, "Edit Canal"),
  at("tags", () => "/tags", "Tags · 3", "Tags"),
  at("add a tag", () => "/tags/add", "Add tag"),
  at("reordering tags", () => "/tags/reorder", "Reorder tags"),
  at("a tag", () => "/tags/pier:east", "Edit pier:east"),
  at("blocking a host", ({ boats }) => `/hosts/${boats[0]!.id}/block`, "boat-01"),
  at("deleting a host", ({ boats }) => `/hosts/${boats[0]!.id}/delete`, "boat-01"),
  at(
    "certificate authorities",
    () => "/certificate-authorities",
    "Certificate Authorities · 2",
    "Certificate Authorities",
  ),
  at(
    "rotating a certificate authority",
    ({ harbour }) => `/certificate-authorities/${harbour.id}/rotate`,
    "Certificate Authorities",
    "Rotate Harbour",
  ),
  at("the audit log", () => "/logs/audit", "Audit log"),
  at("the export of the audit log", () => "/logs/audit/export", "Audit log", "Export audit log"),
  at("networks", () => "/settings/networks", "Networks · 2", "Networks"),
  at("add a network", () => "/settings/networks/add", "Add network"),
  at("a network", ({ harbour }) => `/settings/networks/${harbour.id}`, "Edit Harbour"),
  at("API keys", () => "/settings/api-keys", "API keys · 0", "API keys"),
  at("add an API key", () => "/settings/api-keys/add", "Add API key"),
  at("single sign-on", () => "/settings/sso", "Single sign-on"),
  at("editing single sign-on", () => "/settings/sso/edit", "Edit single sign-on"),
  at("members", () => "/settings/members", "Members · 1", "Members"),
  at("inviting a member", () => "/settings/members/invite", "Members", "Invite member"),
  at("the organization", () => "/settings/organization", "Organization"),
  at(
    "renaming the organization",
    () => "/settings/organization/rename",
    "Organization",
    "Rename organization",
  ),
  at("leaving the organization", () => "/settings/organization/leave", "Organization", "Leave organization"),
  at(
    "deleting the organization",
    () => "/settings/organization/delete",
    "Organization",
    "Delete organization",
  ),
  at("billing", () => "/settings/billing", "Billing"),
  at("the checkout", () => "/settings/billing/checkout", "Upgrade to Pro"),
  at("the upgrade after signing up", () => "/signup/pro", "Upgrade to Pro"),
  at("user settings", () => "/settings/user", "User settings"),
  at("adding an authenticator", () => "/settings/user/totps/add", "User settings", "Add authenticator"),
  at("the first steps", () => "/get-started", "Set up your network", "Get started"),
  at("contact", () => "/support/contact", "Contact us"),
  at("downloads", () => "/downloads", "Downloads"),
];
