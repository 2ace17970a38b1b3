import {
  createHostAndEnrollmentCodeV2,
  createHostV2,
  getHostV2,
  type HostV2,
  updateHostV3,
} from "@lightkeeper/contract";
import { allocate } from "../addresses.ts";
import { callApi, type Caller } from "../call.ts";
import { chooseCaller, chooseID, chooseOverrides, type Choices, NAMES, TAGS } from "../choices.ts";
import { reading, writing } from "../permissions.ts";
import {
  findByID,
  getByID,
  hasName,
  hostsIn,
  type ModelHost,
  type Organization,
  record,
  type State,
} from "../state.ts";
import type { CallFactories } from "./factories.ts";
import { ensureTags } from "./rules.ts";

const STATIC_ADDRESSES = ["203.0.113.7:4242", "lighthouse.example.com:4242"];

/** Addresses, prefixes and nothing; some are outside the network. */
function chooseAddresses(
  state: State,
  { organization }: Caller,
  networkID: string,
  choices: Choices,
): string[] {
  const cidrs = findByID(state.organizations[organization]!.networks, networkID)?.cidrs ?? [];
  const [first = "10.3.0.0/24"] = cidrs;
  const base = first.split("/")[0] ?? "";
  const nth = (n: number) =>
    base.includes(":") ? `${base}${n.toString(16)}` : base.replace(/\d+$/, String(n));
  const ipv4 = cidrs.length === 2 ? [first] : [];
  return choices.pick([
    [],
    [],
    ipv4,
    [nth(2)],
    [`${base}/${base.includes(":") ? 126 : 30}`],
    [nth(0)],
    ["10.9.9.9"],
  ]);
}

function chooseHost(state: State, caller: Caller, choices: Choices) {
  const networkID = chooseID(state, caller, choices, ({ networks }) => networks);
  if (networkID === undefined) return undefined;
  const roleID = choices.sometimes(60) ? chooseID(state, caller, choices, ({ roles }) => roles) : undefined;
  const kind = choices.pick(["host", "host", "lighthouse", "relay"] as const);
  // A lighthouse without a static address, and a relay without a port, are invalid.
  const isComplete = kind === "host" ? choices.sometimes(20) : !choices.sometimes(10);
  return {
    name: choices.pick(NAMES),
    networkID,
    roleID: roleID ?? null,
    ipAddresses: chooseAddresses(state, caller, networkID, choices),
    staticAddresses: isComplete ? [choices.pick(STATIC_ADDRESSES)] : [],
    listenPort: isComplete ? 4242 : 0,
    isLighthouse: kind === "lighthouse",
    isRelay: kind === "relay",
    tags: choices.some(TAGS),
    configOverrides: chooseOverrides(choices),
  };
}
type HostBody = NonNullable<ReturnType<typeof chooseHost>>;

const isIncomplete = ({
  isLighthouse,
  isRelay,
  staticAddresses,
  listenPort,
}: Pick<ModelHost, "isLighthouse" | "isRelay" | "staticAddresses" | "listenPort">): boolean =>
  (isLighthouse && staticAddresses.length === 0) || ((isLighthouse || isRelay) && listenPort === 0);

const isMissingRole = ({ roles }: Organization, roleID: string | null): boolean =>
  roleID !== null && !findByID(roles, roleID);

function problemsOf(organization: Organization, body: HostBody) {
  const network = findByID(organization.networks, body.networkID);
  const allocation = network && allocate(organization, network, body.ipAddresses);
  return [
    isIncomplete(body) && "ERR_INVALID_VALUE",
    isMissingRole(organization, body.roleID) && "ERR_INVALID_REFERENCE",
    !network && "ERR_INVALID_REFERENCE",
    hasName(hostsIn(organization, body.networkID), body.name) && "ERR_DUPLICATE_VALUE",
    allocation && "problem" in allocation && allocation.problem,
  ] as const;
}

function addHost(
  changed: Organization,
  actor: string,
  { ipAddresses, ...body }: HostBody,
  id: string,
): ModelHost {
  const allocation = allocate(changed, getByID(changed.networks, body.networkID), ipAddresses);
  if (!("addresses" in allocation)) throw new Error("The model accepted a host without an address");
  ensureTags(changed, actor, body.tags);
  const host: ModelHost = {
    ...body,
    id,
    addresses: allocation.addresses,
    isBlocked: false,
    code: null,
    wasEnrolled: false,
    certificates: [],
    received: null,
  };
  changed.hosts.push(host);
  record(changed, actor, ["host", id], "CREATED");
  return host;
}

export const presentHost = (host: ModelHost): Partial<HostV2> => ({
  id: host.id,
  networkID: host.networkID,
  name: host.name,
  roleID: host.roleID,
  ipAddresses: host.addresses,
  staticAddresses: host.staticAddresses,
  listenPort: host.listenPort,
  isLighthouse: host.isLighthouse,
  isRelay: host.isRelay,
  isBlocked: host.isBlocked,
  tags: host.tags,
  configOverrides: host.configOverrides,
});

export const hostCalls: CallFactories = {
  createHost: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const body = chooseHost(state, caller, choices);
    if (!body) return undefined;
    return callApi({
      caller,
      permission: writing("hosts:create"),
      name: "createHost",
      endpoint: createHostV2,
      input: { body },
      predict: (organization, actor) => ({
        problems: problemsOf(organization, body),
        change: (changed, data) => void addHost(changed, actor, body, data?.id ?? "new"),
        response: ({ hosts }) => presentHost(hosts.at(-1)!),
      }),
    });
  },

  createHostAndCode: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const body = chooseHost(state, caller, choices);
    if (!body) return undefined;
    return callApi({
      caller,
      permission: writing("hosts:create", "hosts:enroll"),
      name: "createHostAndCode",
      endpoint: createHostAndEnrollmentCodeV2,
      input: { body },
      predict: (organization, actor) => ({
        problems: problemsOf(organization, body),
        change: (changed, data) => {
          const host = addHost(changed, actor, body, data?.host.id ?? "new");
          host.code = data?.enrollmentCode.code ?? null;
          record(changed, actor, ["host", host.id], "CREATED_ENROLL_CODE");
        },
        response: ({ hosts }) => ({ host: presentHost(hosts.at(-1)!) }),
      }),
    });
  },

  updateHost: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const hostID = chooseID(state, caller, choices, ({ hosts }) => hosts);
    if (hostID === undefined) return undefined;
    const before = findByID(state.organizations[caller.organization]!.hosts, hostID);
    const isComplete = (before?.isLighthouse || before?.isRelay) && !choices.sometimes(10);
    const roleID = choices.sometimes(70) ? chooseID(state, caller, choices, ({ roles }) => roles) : undefined;
    const body = {
      ...(choices.sometimes(25) && { name: choices.pick(NAMES) }),
      roleID: roleID ?? null,
      staticAddresses: isComplete ? [choices.pick(STATIC_ADDRESSES)] : [],
      listenPort: isComplete ? 4243 : 0,
      ...(choices.sometimes(70) && { tags: choices.some(TAGS) }),
      ...(choices.sometimes(30) && { configOverrides: chooseOverrides(choices) }),
    };
    return callApi({
      caller,
      permission: writing("hosts:update"),
      name: "updateHost",
      endpoint: updateHostV3,
      input: { params: { hostID }, body },
      predict: (organization, actor) => {
        const host = findByID(organization.hosts, hostID);
        const after = host && { ...host, ...body };
        const siblings = host ? hostsIn(organization, host.networkID) : [];
        const isOverrideOnly = host && after && isOnlyOverridesChanged(host, after);
        return {
          problems: [
            !host && "ERR_NOT_FOUND",
            isMissingRole(organization, body.roleID) && "ERR_INVALID_REFERENCE",
            after && isIncomplete(after) && "ERR_INVALID_VALUE",
            body.name !== undefined && hasName(siblings, body.name, hostID) && "ERR_DUPLICATE_VALUE",
          ],
          change: (changed) => {
            ensureTags(changed, actor, body.tags ?? []);
            Object.assign(getByID(changed.hosts, hostID), body);
            record(changed, actor, ["host", hostID], isOverrideOnly ? "SET_OVERRIDES" : "UPDATED");
          },
          response: ({ hosts }) => presentHost(getByID(hosts, hostID)),
        };
      },
    });
  },

  getHost: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const hostID = chooseID(state, caller, choices, ({ hosts }) => hosts);
    if (hostID === undefined) return undefined;
    return callApi({
      caller,
      permission: reading("hosts:read"),
      name: "getHost",
      endpoint: getHostV2,
      input: { params: { hostID } },
      predict: ({ hosts }) => ({
        problems: [!findByID(hosts, hostID) && "ERR_NOT_FOUND"],
        response: (organization) => presentHost(getByID(organization.hosts, hostID)),
      }),
    });
  },
};

/** Such a change has an audit event of its own. */
function isOnlyOverridesChanged(before: ModelHost, after: ModelHost): boolean {
  const withoutOverrides = (host: ModelHost) => JSON.stringify({ ...presentHost(host), configOverrides: [] });
  const differs = JSON.stringify(before.configOverrides) !== JSON.stringify(after.configOverrides);
  return differs && withoutOverrides(before) === withoutOverrides(after);
}
