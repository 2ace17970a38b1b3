/** Networks with version 2 certificates, whose hosts have IPv6 addresses only or addresses of both families. */
import type { NetworkKind } from "./family-network.ts";
import { describeNetworkKinds } from "./family-story.ts";
import { selectCases } from "./select-cases.ts";

const curves = ["25519", "P256"] as const;

const kindsOf = (
  name: string,
  body: NetworkKind["body"],
  representative: (typeof curves)[number],
): NetworkKind[] =>
  selectCases(curves, [representative]).map((curve) => ({
    name: `${name} with curve ${curve}`,
    version: "1.11.0",
    body: { ...body, certVersion: 2, curve },
  }));

describeNetworkKinds([
  ...kindsOf("an IPv6 network", {}, "25519"),
  ...kindsOf("a dual-stack network", { cidrs: ["10.44.0.0/16", "fd44::/64"] }, "P256"),
]);
