import { addressFamilyOf } from "../lib/address-family.ts";
import type { AccessExample, FailedAccessCheck } from "@lightkeeper/contract";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { formatCount } from "../lib/format.ts";
import { hostKinds } from "../references/host-link.tsx";

type Kind = FailedAccessCheck["kind"];

interface FailedCheckText {
  title: ReactNode;
  /** What follows from it, and what to do. */
  detail: ReactNode;
}

const Name = ({ children }: { children: string }) => <bdi>{children}</bdi>;

/** Every host has a page below /hosts, which redirects lighthouses and relays. */
function HostPageLink({ id, to = "", children }: { id: string; to?: string; children: ReactNode }) {
  return <Link to={`${hostKinds.host.path}/${encodeURIComponent(id)}${to}`}>{children}</Link>;
}

/** The host that fails the check. */
const hostOf = ({ failedCheck, source }: AccessExample) => failedCheck?.host ?? source;

const decidingName = ({ decidingHost, destination }: AccessExample) =>
  decidingHost?.name ?? destination.host?.name ?? destination.address;

const texts: Readonly<Record<Kind, (example: AccessExample) => FailedCheckText>> = {
  notEnrolled: (example) => ({
    title: (
      <>
        <Name>{hostOf(example).name}</Name> isn’t enrolled
      </>
    ),
    detail: (
      <>
        Without a certificate, the host has no tunnels.{" "}
        <HostPageLink id={hostOf(example).id}>Open the host</HostPageLink> to enroll it.
      </>
    ),
  }),
  blocked: (example) => ({
    title: (
      <>
        <Name>{hostOf(example).name}</Name> is blocked
      </>
    ),
    detail: (
      <>
        Its certificate is revoked. <HostPageLink id={hostOf(example).id}>Open the host</HostPageLink> to
        unblock it.
      </>
    ),
  }),
  expired: (example) => ({
    title: (
      <>
        The certificate of <Name>{hostOf(example).name}</Name> has expired
      </>
    ),
    detail: (
      <>
        Start the agent on the host to renew it, or{" "}
        <HostPageLink id={hostOf(example).id}>enroll the host again</HostPageLink>.
      </>
    ),
  }),
  untrustedCa: (example) => ({
    title: (
      <>
        The CA of <Name>{hostOf(example).name}</Name> isn’t trusted
      </>
    ),
    detail: (
      <>
        The other host doesn’t trust the CA that signed the certificate. See{" "}
        <Link to="/certificate-authorities">Certificate Authorities</Link>.
      </>
    ),
  }),
  sameHost: ({ source }) => ({
    title: "The source and the destination are the same host",
    detail: (
      <>
        Connections within <Name>{source.name}</Name> don’t use the overlay network. Choose another host.
      </>
    ),
  }),
  otherNetwork: () => ({
    title: "The hosts are in different networks",
    detail: "Hosts can only reach hosts in the same network. No rule can change this.",
  }),
  unknownAddress: ({ destination }) => ({
    title: <>No host or route has the address {destination.address}</>,
    detail: "Enter the address of a host, or an address in a subnet of a route.",
  }),
  noRoute: ({ source, destination }) => ({
    title: (
      <>
        <Name>{source.name}</Name> has no route to {destination.address}
      </>
    ),
    detail: (
      <>
        A host gets a route from its tags. Add a tag with a route to this subnet to{" "}
        <HostPageLink id={source.id} to="/edit">
          <Name>{source.name}</Name>
        </HostPageLink>
        , or see <Link to="/routes">Routes</Link>.
      </>
    ),
  }),
  noCommonFamily: (example) => ({
    title: (
      <>
        <Name>{hostOf(example).name}</Name> has no {addressFamilyOf(example.destination.address)} address
      </>
    ),
    detail: "Hosts can only exchange packets if both have an address of the same family, IPv4 or IPv6.",
  }),
  notServed: ({ destination }) => ({
    title: <>No router serves {destination.address}</>,
    detail: (
      <>
        The route has no router that can forward this traffic. See <Link to="/routes">Routes</Link>.
      </>
    ),
  }),
  noRule: (example) => ({
    title: (
      <>
        No inbound rule on <Name>{decidingName(example)}</Name> matches
      </>
    ),
    detail:
      example.ruleCount === 0
        ? "The host has no rules, so it accepts no inbound traffic."
        : `Checked ${formatCount(example.ruleCount, "rule")} of its role, tags and routes.`,
  }),
};

export const failedCheckText = (kind: Kind, example: AccessExample): FailedCheckText => texts[kind](example);
