import { createRoute, deleteRoute, getRoute, updateRoute } from "@lightkeeper/contract";
import { contains, isIpv6 } from "../addresses.ts";
import { callApi, type Caller } from "../call.ts";
import { chooseCaller, chooseID, chooseRouteRules, type Choices, NAMES } from "../choices.ts";
import { reading, writing } from "../permissions.ts";
import { findByID, getByID, hasName, type Organization, record, removeByID, type State } from "../state.ts";
import type { CallFactories } from "./factories.ts";
import { ensureTags, namesMissingRole, tagsOfRules } from "./rules.ts";

/** The last one is inside the range of networks that the model creates. */
const SUBNETS = ["192.168.5.0/24", "192.168.0.0/16", "2001:db8:5::/64", "192.168.6.0/24", "10.1.0.8/29"];

function chooseBody(state: State, caller: Caller, choices: Choices) {
  const subnets = [choices.pick(SUBNETS), ...choices.some(SUBNETS)];
  const routerHostID = chooseID(state, caller, choices, ({ hosts }) => hosts);
  return {
    name: choices.pick(NAMES),
    ...(routerHostID !== undefined && choices.sometimes(80) && { routerHostID }),
    routableCIDRs: Object.fromEntries(subnets.map((subnet) => [subnet, { install: !choices.sometimes(20) }])),
    firewallRules: chooseRouteRules(state, caller, choices, subnets),
  };
}
type RouteBody = ReturnType<typeof chooseBody>;

/** A router serves no part of its own network, and no family that it has no address of. */
function isUnservable(
  { hosts, networks }: Organization,
  { routerHostID, routableCIDRs }: RouteBody,
): boolean {
  const router = findByID(hosts, routerHostID ?? "");
  if (!router) return false;
  const { cidrs } = getByID(networks, router.networkID);
  return Object.keys(routableCIDRs).some(
    (subnet) =>
      cidrs.some((cidr) => contains(cidr, subnet)) ||
      !router.addresses.some((address) => isIpv6(address) === isIpv6(subnet)),
  );
}

const problemsOf = (organization: Organization, body: RouteBody) =>
  [
    namesMissingRole(organization, body.firewallRules) && "ERR_INVALID_REFERENCE",
    body.routerHostID !== undefined &&
      !findByID(organization.hosts, body.routerHostID) &&
      "ERR_INVALID_REFERENCE",
    isUnservable(organization, body) && "ERR_INVALID_VALUE",
  ] as const;

const toRoute = (id: string, body: RouteBody) => ({ id, routerHostID: null, ...body });

function respond({ routes }: Organization, name: string) {
  const route = routes.find((each) => each.name === name);
  return { ...route, routerHostID: route?.routerHostID ?? undefined };
}

export const routeCalls: CallFactories = {
  createRoute: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const body = chooseBody(state, caller, choices);
    return callApi({
      caller,
      permission: writing("routes:create"),
      name: "createRoute",
      endpoint: createRoute,
      input: { body },
      predict: (organization, actor) => ({
        problems: [
          hasName(organization.routes, body.name) && "ERR_DUPLICATE_VALUE",
          ...problemsOf(organization, body),
        ],
        change: (changed, data) => {
          ensureTags(changed, actor, tagsOfRules(body.firewallRules));
          const id = data?.id ?? "new";
          changed.routes.push(toRoute(id, body));
          record(changed, actor, ["route", id], "CREATED");
        },
        response: (changed) => respond(changed, body.name),
      }),
    });
  },

  updateRoute: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const routeID = chooseID(state, caller, choices, ({ routes }) => routes);
    if (routeID === undefined) return undefined;
    const body = chooseBody(state, caller, choices);
    return callApi({
      caller,
      permission: writing("routes:update"),
      name: "updateRoute",
      endpoint: updateRoute,
      input: { params: { routeID }, body },
      predict: (organization, actor) => ({
        problems: [
          !findByID(organization.routes, routeID) && "ERR_NOT_FOUND",
          hasName(organization.routes, body.name, routeID) && "ERR_DUPLICATE_VALUE",
          ...problemsOf(organization, body),
        ],
        change: (changed) => {
          ensureTags(changed, actor, tagsOfRules(body.firewallRules));
          Object.assign(getByID(changed.routes, routeID), toRoute(routeID, body));
          record(changed, actor, ["route", routeID], "UPDATED");
        },
        response: (changed) => respond(changed, body.name),
      }),
    });
  },

  deleteRoute: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const routeID = chooseID(state, caller, choices, ({ routes }) => routes);
    if (routeID === undefined) return undefined;
    return callApi({
      caller,
      permission: writing("routes:delete"),
      name: "deleteRoute",
      endpoint: deleteRoute,
      input: { params: { routeID } },
      predict: (organization, actor) => ({
        problems: [!findByID(organization.routes, routeID) && "ERR_NOT_FOUND"],
        change: (changed) => {
          removeByID(changed.routes, routeID);
          for (const tag of changed.tags)
            tag.routeSubscriptions = tag.routeSubscriptions.filter((id) => id !== routeID);
          record(changed, actor, ["route", routeID], "DELETED");
        },
      }),
    });
  },

  getRoute: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const routeID = chooseID(state, caller, choices, ({ routes }) => routes);
    if (routeID === undefined) return undefined;
    return callApi({
      caller,
      permission: reading("routes:read"),
      name: "getRoute",
      endpoint: getRoute,
      input: { params: { routeID } },
      predict: (organization) => ({
        problems: [!findByID(organization.routes, routeID) && "ERR_NOT_FOUND"],
        response: () => respond(organization, getByID(organization.routes, routeID).name),
      }),
    });
  },
};
