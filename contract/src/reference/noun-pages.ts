/** The title and the first sentence of each noun's page in the API reference. */
import type { Noun } from "../nouns.ts";

export const nounPages: Record<Noun, { title: string; description: string }> = {
  hosts: {
    title: "Hosts",
    description:
      "A host is a machine in a network. Lighthouses and relays are hosts with `isLighthouse` or `isRelay`.",
  },
  "host-state": {
    title: "Host state",
    description:
      "These calls show what the agent of a host reports, and the configuration that the host should run.",
  },
  roles: {
    title: "Roles",
    description: "A role defines which inbound traffic its hosts accept. A host has at most one role.",
  },
  routes: {
    title: "Routes",
    description: "A route makes subnets behind a host reachable for other hosts in the network.",
  },
  guarantees: {
    title: "Guarantees",
    description:
      "A guarantee states which hosts must always or never reach others. A change that breaks one is rejected.",
  },
  access: {
    title: "Access",
    description:
      "These calls answer which hosts can reach which others, and what a change would open and close.",
  },
  tags: {
    title: "Tags",
    description: "A tag adds firewall rules, routes and Nebula settings to its hosts.",
  },
  attention: {
    title: "Attention",
    description: "This call lists what needs an administrator, and counts hosts by their health.",
  },
  networks: {
    title: "Networks",
    description:
      "A network has an IPv4 range, an IPv6 range or both, and a certificate authority. Each host is in one network.",
  },
  "certificate-authorities": {
    title: "Certificate authorities",
    description: "A certificate authority (CA) signs the certificates of a network's hosts.",
  },
  "notification-channels": {
    title: "Notification channels",
    description: "A notification channel is where messages are sent: email, a webhook, Slack or Teams.",
  },
  "notification-rules": {
    title: "Notification rules",
    description: "A notification rule sends a message through its channels when an event occurs.",
  },
  "notification-deliveries": {
    title: "Notification deliveries",
    description: "A delivery is one message to one channel, with its request, its response and its attempts.",
  },
  "audit-logs": {
    title: "Audit logs",
    description: "The audit log records who changed what, in a hash chain that shows if entries are missing.",
  },
  "api-keys": {
    title: "API keys",
    description: "An API key lets a script or a service call the API with the scopes that you select.",
  },
  members: {
    title: "Members",
    description: "Members are the people who can log in to an organization, and its open invitations.",
  },
  invitations: {
    title: "Invitations",
    description: "These calls are for people who have been invited to an organization.",
  },
  "recovery-codes": {
    title: "Recovery codes",
    description: "A recovery code replaces the code of an authenticator once.",
  },
  "totp-authenticators": {
    title: "Authenticators",
    description: "An authenticator app generates the codes of the second factor.",
  },
  sessions: {
    title: "Sessions",
    description: "A session is a browser in which you are logged in.",
  },
  "oidc-provider": {
    title: "Single sign-on",
    description: "An identity provider that speaks OpenID Connect signs people and devices in.",
  },
  domains: {
    title: "Domains",
    description: "A verified email domain leads the devices of its people to your organization.",
  },
  "device-requests": {
    title: "Device requests",
    description: "A device request is a new device whose owner has signed in and that waits for approval.",
  },
  organizations: {
    title: "Organizations",
    description: "An organization owns networks, hosts and everything else.",
  },
  billing: {
    title: "Billing",
    description: "These calls show and change the organization's plan.",
  },
  jobs: {
    title: "Jobs",
    description: "A job is a change of many hosts that runs in the background.",
  },
  auth: {
    title: "Authentication",
    description: "These calls log people in and out. Scripts use API keys instead.",
  },
  agents: {
    title: "Agents",
    description: "The agent on a host uses these calls to enroll the host and keep it up to date.",
  },
  import: {
    title: "Import",
    description: "An import creates and changes many hosts, roles and tags from a CSV or YAML file.",
  },
  downloads: {
    title: "Downloads",
    description: "The server offers the agent executables that it has built.",
  },
  events: {
    title: "Events",
    description: "The console listens for changes to update its pages.",
  },
  support: {
    title: "Support",
    description: "Members can send a message to the people who operate the server.",
  },
  "get-started": {
    title: "Get started",
    description: "The checklist for a new organization shows which steps are done.",
  },
  "feature-flags": {
    title: "Feature flags",
    description: "Feature flags turn parts of the console on or off for an organization.",
  },
  "client-errors": {
    title: "Client errors",
    description: "The console reports its own errors, so that operators can see them.",
  },
};
