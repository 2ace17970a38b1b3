/** Blocks, deletions and enrollment codes of hosts. */
import { blockHostV2, createEnrollmentCode, deleteHost, unblockHostV2 } from "@lightkeeper/contract";
import { callApi } from "../call.ts";
import { chooseCaller, chooseID } from "../choices.ts";
import { writing } from "../permissions.ts";
import { findByID, getByID, type ModelHost, type Organization, record, removeByID } from "../state.ts";
import type { CallFactories } from "./factories.ts";
import { presentHost } from "./hosts.ts";

/** Puts the certificates of a host on the blocklist of its network. */
export function revokeCertificates({ networks }: Organization, host: ModelHost): void {
  const { revoked } = getByID(networks, host.networkID);
  revoked.push(...host.certificates.map(({ fingerprint, caID }) => ({ fingerprint, caID })));
  host.certificates = [];
  host.received = null;
}

const setBlocked =
  (isBlocked: boolean): CallFactories[string] =>
  (state, choices) => {
    const caller = chooseCaller(state, choices);
    const hostID = chooseID(state, caller, choices, ({ hosts }) => hosts);
    if (hostID === undefined) return undefined;
    return callApi({
      caller,
      permission: writing(isBlocked ? "hosts:block" : "hosts:unblock"),
      name: isBlocked ? "blockHost" : "unblockHost",
      endpoint: isBlocked ? blockHostV2 : unblockHostV2,
      input: { params: { hostID } },
      predict: (organization, actor) => ({
        problems: [!findByID(organization.hosts, hostID) && "ERR_NOT_FOUND"],
        change: (changed) => {
          const host = getByID(changed.hosts, hostID);
          host.isBlocked = isBlocked;
          if (!isBlocked) host.code = null;
          revokeCertificates(changed, host);
          record(changed, actor, ["host", hostID], isBlocked ? "BLOCKED_HOST" : "UNBLOCKED_HOST");
        },
        response: ({ hosts }) => presentHost(getByID(hosts, hostID)),
      }),
    });
  };

export const hostAccessCalls: CallFactories = {
  blockHost: setBlocked(true),
  unblockHost: setBlocked(false),

  createEnrollmentCode: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const hostID = chooseID(state, caller, choices, ({ hosts }) => hosts);
    if (hostID === undefined) return undefined;
    return callApi({
      caller,
      permission: writing("hosts:enroll"),
      name: "createEnrollmentCode",
      endpoint: createEnrollmentCode,
      input: { params: { hostID } },
      predict: ({ hosts }, actor) => ({
        problems: [
          !findByID(hosts, hostID) && "ERR_NOT_FOUND",
          findByID(hosts, hostID)?.isBlocked && "ERR_HOST_BLOCKED",
        ],
        change: (changed, data) => {
          getByID(changed.hosts, hostID).code = data?.code ?? null;
          record(changed, actor, ["host", hostID], "CREATED_ENROLL_CODE");
        },
      }),
    });
  },

  deleteHost: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const hostID = chooseID(state, caller, choices, ({ hosts }) => hosts);
    if (hostID === undefined) return undefined;
    return callApi({
      caller,
      permission: writing("hosts:delete"),
      name: "deleteHost",
      endpoint: deleteHost,
      input: { params: { hostID } },
      predict: ({ hosts, routes }, actor) => ({
        problems: [
          !findByID(hosts, hostID) && "ERR_NOT_FOUND",
          routes.some(({ routerHostID }) => routerHostID === hostID) && "ERR_HAS_DEPENDENTS",
        ],
        change: (changed) => {
          revokeCertificates(changed, getByID(changed.hosts, hostID));
          removeByID(changed.hosts, hostID);
          record(changed, actor, ["host", hostID], "DELETED");
        },
      }),
    });
  },
};
