/** Fields whose name means something else for one noun. */
import type { Noun } from "../../nouns.ts";
import { exampleID, type FieldTable, OMITTED, times } from "../field.ts";
import { accountFieldsByNoun } from "./by-noun-accounts.ts";
import { notificationFieldsByNoun } from "./notifications.ts";

const id = (of: string, prefix: string) => ["The ID of the " + of + ".", exampleID(prefix)] as const;

const dependents: FieldTable = {
  "hosts.type": ["Whether it is a host, a lighthouse or a relay.", "host"],
  hostCount: ["The number of hosts that have it.", 12],
  ruleCount: ["The number of rules of other objects that refer to it.", 4],
  "ruleOwners.type": ["Whether it is a role, a tag or a route.", "route"],
  "ruleOwners.id": ["The ID of the role or route; for a tag, its name.", exampleID("route")],
  "ruleOwners.name": ["The name of the role, tag or route.", "Office"],
  "ruleOwners.rules": ["The rules that change."],
};

const rulesOf = (owner: string): FieldTable => ({
  "firewallRules.description": ["What the rule is for.", "HTTPS"],
  "before.description": ["What the rule is for.", "HTTPS"],
  "after.description": ["What the rule is for.", "HTTPS"],
  name: ["The name of the " + owner + ".", "Web"],
  description: ["What the " + owner + " is for.", "Public web servers"],
});

export const fieldsByNoun: Partial<Record<Noun, FieldTable>> = {
  ...accountFieldsByNoun,
  ...notificationFieldsByNoun,
  hosts: {
    id: id("host", "host"),
    name: ["The name of the host.", "web-1"],
    description: ["What the host is for.", "Serves the public website"],
    owner: ["Who is responsible for the host.", "Web team"],
    "host.id": ["The ID of the host.", exampleID("host")],
    "host.name": ["The name of the host.", "web-1"],
    "host.ipAddress": [
      "The address in the network. If missing in a request, the lowest free one.",
      "10.42.0.7",
    ],
    "data.metadata": ["What the host's client has reported."],
    "host.metadata": ["What the host's client has reported."],
    code: ["Pass this to the install command on the machine. Works once.", "Kq7vR2mXw9TzBn4LcD8sYh3J"],
  },
  "host-state": {
    id: ["The ID of the role or route; for a tag, its name.", exampleID("route")],
    "rule.description": ["What the rule is for.", "HTTPS"],
    "source.name": ["The name of the tag.", "env:production"],
    "source.kind": ["What contains it."],
    "omitted.kind": ["Whether it is an override or a route."],
  },
  attention: {
    type: ["What needs attention.", "CA_EXPIRING"],
    "objects.type": ["The type of the object, as in the audit log.", "ca"],
    id: ["The ID of the object.", exampleID("ca")],
    name: ["The name of the object.", "Production CA"],
    hostCount: ["The number of affected hosts.", 52],
    expiresAt: ["When the CA or the first of the certificates expires; null for other items.", times.later],
  },
  roles: { ...rulesOf("role"), ...dependents, id: id("role", "role") },
  tags: {
    ...rulesOf("tag"),
    ...dependents,
    name: ["The name of the tag, in the form `key:value`.", "env:production"],
    description: ["What the tag is for.", "Hosts in production"],
  },
  routes: {
    id: id("route", "route"),
    name: ["The name of the route.", "Office"],
    description: ["What the route is for.", "Printers and cameras in the office"],
    "firewallRules.description": ["What the rule is for.", "Printing"],
  },
  guarantees: {
    id: id("guarantee", "guarantee"),
    type: ["Whether the sources must always or never reach the destinations.", "MUST_NEVER_REACH"],
    source: ["The hosts that open connections.", { type: "tag", id: "env:staging" }],
    destination: ["The hosts or addresses that accept connections.", { type: "role", id: exampleID("role") }],
    "source.type": ["How the hosts are selected."],
    "destination.type": ["How the hosts or addresses are selected."],
    "source.id": ["The ID of the role or host; for a tag, its name.", exampleID("role")],
    "destination.id": ["The ID of the role or host; for a tag, its name.", exampleID("role")],
    "destination.cidr": ["The addresses behind a router.", "192.168.10.0/24"],
    "counterexample.source": ["The host that opens the connection."],
    "counterexample.destination": ["The host or the address that accepts the connection."],
    counterexample: ["A pair of hosts that breaks the guarantee; null if it holds.", null],
    description: ["Shown to people whose change is rejected.", "Staging never reaches the databases"],
    "rule.description": ["What the rule is for.", "HTTPS"],
    portRange: ["The destination ports; null for all ports, and for ICMP.", { from: 5432, to: 5432 }],
    networkID: ["The ID of the network; null for all networks.", null],
    state: ["`holds`, `failing`, `suspended`, or `noHosts` if no pair of hosts is affected.", "holds"],
    reason: ["Why changes may break the guarantee.", "Migration of the database"],
    until: ["When the suspension ends, at most 90 days from now.", times.soon],
  },
  access: {
    "data.host": ["The host."],
    "ownAccessLost.host": ["The caller's device."],
    "source.hostID": ["A host. Send either this or `networkID`, `roleID` and `tags`.", exampleID("host")],
    "destination.hostID": ["A host.", exampleID("host")],
    "source.roleID": ["All hosts with this role; null for any role.", exampleID("role")],
    "destination.roleID": ["All hosts with this role; null for any role.", exampleID("role")],
    "source.id": ["The ID of the role, route or host; for a tag, its name.", exampleID("role")],
    "target.id": ["The ID of the role or route; for a tag, its name.", exampleID("role")],
    "owner.id": ["The ID of the role or route; for a tag, its name.", exampleID("role")],
    "source.name": ["The name of the role, tag, route or host.", "Web"],
    "target.name": ["The name of the role, tag or route.", "Web"],
    "owner.name": ["The name of the role, tag or route.", "Web"],
    "brokenGuarantees.id": ["The ID of the guarantee.", exampleID("guarantee")],
    "brokenGuarantees.description": [
      "The description of the guarantee.",
      "Staging never reaches the databases",
    ],
    id: ["The ID of the role; for a tag, its name. Null for a new one.", exampleID("role")],
    type: ["Whether the rules are those of a role, a tag or a route.", "role"],
    "fix.type": ["Whether to remove or to replace the rule."],
    "lints.kind": ["What is wrong with the rule."],
    "lint.kind": ["What is wrong with the rule."],
    "failedCheck.kind": ["The check that fails."],
    "lint.reason": ["Why the rule never matches."],
    "lints.reason": ["Why the rule never matches."],
    "lint.tags": ["The tags of the rule.", ["env:production"]],
    "lints.tags": ["The tags of the rule.", ["env:production"]],
    "fix.rule": ["The rule to replace it with."],
    subnets: ["Subnets behind routers.", []],
    description: ["What the rule is for.", "HTTPS"],
    "rule.localCIDR": ["Only for rules of routes: the destination addresses behind the router.", OMITTED],
    destinations: [
      "The hosts that accept the connections, in groups that the rules can't tell apart.",
      [
        {
          role: { id: exampleID("role", 2), name: "Database" },
          tags: [],
          hostCount: 3,
          hosts: [{ id: exampleID("host", 2), name: "db-1", ipAddress: "10.42.0.8" }],
        },
      ],
    ],
    path: ["The path of a call that accepts `dryRun`, with its query.", "/v1/roles"],
    "data.ruleCount": ["The number of rules that were checked.", 4],
    "example.ruleCount": ["The number of rules that the deciding host has.", 4],
    "example.rules": ["All rules that allow the connection. Removing one of several closes nothing."],
  },
  networks: {
    id: id("network", "network"),
    name: ["The name of the network.", "Production"],
    description: ["What the network is for.", "All servers"],
    cidr: [
      "The IPv4 range of the network. In a response, the first range, which is an IPv6 range if the network has no other. If missing in a request, the next free one.",
      "10.42.0.0/16",
    ],
    "waitingFor.hostCount": ["The number of those hosts.", 1],
    "waitingFor.hosts": ["The first 100 of them, by name."],
  },
  "certificate-authorities": {
    id: id("CA", "ca"),
    name: ["The name of the CA.", "Production CA 1"],
    state: [
      "`PENDING`: hosts don't trust it yet. `SIGNING`: signs new certificates. `TRUSTED`: its certificates are still accepted. `RETIRED`: no longer trusted.",
      "SIGNING",
    ],
    hostCount: ["The number of hosts whose current certificate this CA signed.", 142],
  },
};
