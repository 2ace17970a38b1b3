import { formatCount } from "../lib/format.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { Time, useNow } from "../ui/text/time.tsx";
import { formatHosts, hostPathOf, hostsOf, type ItemDescription, ObjectLink } from "./item-parts.tsx";

/** Includes lighthouses and relays, but no devices, whose certificate expires with their owner's sign-in. */
const listPath = (networkID: string | undefined) =>
  `/hosts?${new URLSearchParams({
    ...(networkID && { "filter.networkID": networkID }),
    "filter.status": "expiring",
    "filter.endpointOIDCUserID": "null",
    "filter.kind": "any",
  })}`;

export const certificateExpiring: ItemDescription = {
  Title: ({ item, networkID }) => {
    const [host] = hostsOf(item);
    if (item.hostCount !== 1 || !host)
      return (
        <>
          <ObjectLink to={listPath(networkID)}>{formatCount(item.hostCount, "host")}</ObjectLink> haven’t
          renewed their certificates
        </>
      );
    return (
      <>
        <ObjectLink to={hostPathOf(host)}>{host.name}</ObjectLink> hasn’t renewed its certificate
      </>
    );
  },
  Consequence: ({ item }) => {
    const isExpired = useNow() >= Date.parse(item.expiresAt ?? "");
    return (
      <>
        {item.hostCount === 1 ? "The" : "The first"} certificate {isExpired ? "expired" : "expires"}{" "}
        <Time at={item.expiresAt ?? ""} />. Start the agent on <bdi>{formatHosts(item)}</bdi> to renew.
      </>
    );
  },
  Action: ({ item, networkID }) => {
    const [host] = hostsOf(item);
    const isOne = item.hostCount === 1 && host !== undefined;
    return (
      <LinkButton size="small" to={isOne ? hostPathOf(host) : listPath(networkID)}>
        {isOne ? "View host" : "View hosts"}
      </LinkButton>
    );
  },
};
