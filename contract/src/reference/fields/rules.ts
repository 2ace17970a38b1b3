/** Fields of firewall rules, roles, tags, routes and guarantees. */
import { exampleID, type FieldTable, OMITTED } from "../field.ts";

export const ruleFields: FieldTable = {
  firewallRules: ["The inbound rules. Traffic is allowed if any rule matches; everything else is denied."],
  protocol: ["The protocol; `ANY` for all.", "TCP"],
  portRange: ["The destination ports; null for all ports, and for ICMP.", { from: 443, to: 443 }],
  "portRange.from": ["The first port.", 443],
  "portRange.to": ["The last port, which can be the same.", 443],
  allowedRoleID: ["The role that a source must have; null for any.", null],
  allowedTags: [
    "The tags that a source must have, all of them. Missing if the rule was created without.",
    ["env:production"],
  ],
  localCIDR: [
    "Only for rules of routes: the destination addresses behind the router. `0.0.0.0/0` stands for all subnets of the route, `::/0` for all of its IPv6 subnets.",
    "192.168.10.0/24",
  ],

  priority: ["If tags have different values for a setting, the tag with the highest priority wins.", 3],
  routeSubscriptions: ["The IDs of the routes that hosts with this tag use.", [exampleID("route")]],
  firewallRulesCount: ["The number of firewall rules.", 2],
  before: ["The rule as it is now."],
  after: ["The rule after the deletion; null if it is removed, because it would allow any host."],
  removedRuleCount: ["The number of those rules that are removed.", 1],
  ruleOwnerCount: ["The number of roles, tags and routes that contain those rules.", 2],
  ruleOwners: ["The first of those roles, tags and routes, with the rules that change."],
  rules: ["The rules."],
  isUsedForDevices: ["Whether devices that people enroll with single sign-on get the role or tag.", false],

  routerHostID: [
    "The ID of the host that forwards traffic to the subnets. Missing if the route has no router.",
    exampleID("host"),
  ],
  routableCIDRs: [
    "The IPv4 and IPv6 subnets behind the router, each with its settings.",
    { "192.168.10.0/24": { install: true } },
  ],
  install: ["Whether hosts add the subnet to their routing table.", true],
  acceptWiderRules: [
    "Serve the route even if the router's Nebula is too old to limit rules to the subnets behind it.",
    false,
  ],

  suspension: ["Until when changes may break the guarantee; null if they may not.", null],
  failingSince: ["When the guarantee started to fail; null if it holds.", null],
  pairCount: ["The number of pairs of hosts.", 36],
  brokenPairCount: ["The number of pairs of hosts that break the guarantee.", 0],
  counterexample: ["A pair of hosts that breaks the guarantee; null if it holds."],
  rejectedChangeCount: ["The number of changes that were rejected in the last 30 days.", 2],
  "filter.state": ["Only guarantees in this state.", "failing"],
  "counterexample.rule": [
    "The rule that allows the connection; null if a required connection isn't allowed.",
  ],
  fragmentsOnly: [
    "Only later fragments of large packets, which have no port and match rules for all ports.",
    OMITTED,
  ],
};
