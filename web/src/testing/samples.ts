/** Believable answers of the API, to be varied by the tests. */
import type { CurrentUser, Network, Organization } from "@lightkeeper/contract";

const ID = "A".repeat(26);

export const organization: Organization = {
  id: `org-${ID}`,
  name: "example.com",
  plan: "free",
  createdAt: "2026-11-01T09:00:00Z",
};

export const userOf = (hasTOTPAuthenticator: boolean): Extract<CurrentUser, { actorType: "user" }> => ({
  actorType: "user",
  actor: {
    id: `user-${ID}`,
    email: "ada@example.com",
    type: "user",
    hasTOTPAuthenticator,
    createdAt: "2026-11-01T09:00:00Z",
  },
  organization,
});

export const user = userOf(true);

export const oidcUser: CurrentUser = {
  actorType: "oidcUser",
  actor: {
    id: `oidcuser-${ID}`,
    email: "grace@example.com",
    issuer: "https://id.example.com",
    subject: "grace",
    type: "oidcUser",
  },
  organization,
};

export const apiKey: CurrentUser = {
  actorType: "apiKey",
  actor: { id: `lkkey-${ID}`, name: "terraform", type: "apiKey" },
  organization,
};

export const network: Network = {
  id: `network-${ID}`,
  organizationID: organization.id,
  name: "Production",
  description: "",
  cidr: "100.100.0.0/22",
  curve: "25519",
  signingCAID: `ca-${ID}`,
  lighthousesAsRelays: false,
  hostCount: 0,
  createdAt: "2026-11-01T09:00:00Z",
};
