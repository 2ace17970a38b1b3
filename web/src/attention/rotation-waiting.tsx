import { CAS_PATH } from "../references/ca-paths.ts";
import { formatCount } from "../lib/format.ts";
import { networkPath } from "../references/network-link.tsx";
import { LinkButton } from "../ui/controls/button.tsx";
import { formatHosts, type ItemDescription, ObjectLink, objectOf } from "./item-parts.tsx";

export const rotationWaiting: ItemDescription = {
  Title: ({ item }) => {
    const { id, name } = objectOf(item, "network");
    return (
      <>
        The CA rotation of <ObjectLink to={networkPath(id)}>{name}</ObjectLink> is waiting for{" "}
        {formatCount(item.hostCount, "host")}
      </>
    );
  },
  Consequence: ({ item }) =>
    `The rotation continues when ${formatHosts(item)} ${item.hostCount === 1 ? "is" : "are"} up to date, or when you skip offline hosts.`,
  Action: () => (
    <LinkButton size="small" to={CAS_PATH}>
      View rotation
    </LinkButton>
  ),
};
