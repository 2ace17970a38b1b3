import * as z from "zod/mini";
import { access, data, endpoint, withRecentFactor } from "../endpoint.ts";
import { described, id, instant } from "../fields.ts";
import { waitingFor, waitingHostFields } from "./waiting-hosts.ts";

const noun = "networks";

export const networkUpgradeSteps = ["NEBULA", "TRUST", "BOTH", "INITIATE", "ONLY", "DONE"] as const;

export const NetworkUpgrade = z.strictObject({
  networkID: id("network"),
  newCAID: described(
    z.nullable(id("ca")),
    "The ID of the CA of version 2 certificates. Null until hosts get it.",
  ),
  cidr: described(z.string(), "The IPv6 range that the network gets."),
  step: described(
    z.enum(networkUpgradeSteps),
    "`NEBULA`: every host needs Nebula 1.10 or newer. `TRUST`: hosts get the new CA. `BOTH`: hosts get a second certificate. `INITIATE`: hosts use it for new tunnels. `ONLY`: hosts give up the first one. `DONE`: the old CA is retired.",
  ),
  isReverting: z.boolean(),
  isForced: described(z.boolean(), "Whether this step skips hosts that are offline or don't report."),
  canFinish: z.boolean(),
  canRevert: z.boolean(),
  startedAt: instant(),
  stepStartedAt: instant(),
  waitingFor: waitingFor(
    z.strictObject({
      ...waitingHostFields,
      /** Null if the host doesn't report it. */
      nebulaVersion: z.nullable(z.string()),
    }),
  ),
});
export type NetworkUpgrade = z.output<typeof NetworkUpgrade>;

export const upgradeNetwork = endpoint({
  extension: true,
  method: "POST",
  path: "/v1/networks/{networkID}/upgrade",
  noun,
  summary: "Upgrade a network to version 2 certificates, or skip hosts in the current step",
  access: withRecentFactor(access.session),
  body: z.strictObject({
    force: described(
      z._default(z.optional(z.boolean()), false),
      "For an upgrade in progress: skip hosts that are offline or don't report in the current step.",
    ),
    cidr: described(
      z.optional(z.string().check(z.maxLength(64))),
      "The IPv6 range, from /48 to /112. If missing, a random one.",
    ),
  }),
  response: data(NetworkUpgrade),
  errors: ["ERR_INVALID_CIDR_MASK_SIZE", "ERR_GUARANTEE_VIOLATED"],
});

export const finishNetworkUpgrade = endpoint({
  extension: true,
  method: "POST",
  path: "/v1/networks/{networkID}/finish-upgrade",
  noun,
  summary: "Start the last step of a network's upgrade, which can't be reverted",
  access: withRecentFactor(access.session),
  response: data(NetworkUpgrade),
  errors: ["ERR_GUARANTEE_VIOLATED"],
});

export const revertNetworkUpgrade = endpoint({
  extension: true,
  method: "POST",
  path: "/v1/networks/{networkID}/revert-upgrade",
  noun,
  summary: "Revert a network's upgrade; hosts keep their version 1 certificates",
  access: withRecentFactor(access.session),
  /** Null if nothing is left to revert on hosts. */
  response: data(z.nullable(NetworkUpgrade)),
  errors: ["ERR_GUARANTEE_VIOLATED"],
});

export const getNetworkUpgrade = endpoint({
  extension: true,
  method: "GET",
  path: "/v1/networks/{networkID}/upgrade",
  noun,
  summary: "Get the current or completed upgrade of a network",
  access: access.session,
  response: data(z.nullable(NetworkUpgrade)),
});
