import { networkPath } from "../references/network-link.tsx";
import { useReadOnly } from "../ui/base/read-only.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { hostsOf, type ItemDescription, ObjectLink, objectOf } from "./item-parts.tsx";

/** "Lighthouse lh-1 isn’t online." */
function describeLighthouses(names: readonly string[]): string {
  const [first, second, third] = names;
  if (first === undefined) return "This network has no lighthouse.";
  if (second === undefined) return `Lighthouse ${first} isn’t online.`;
  return third === undefined ? `Neither ${first} nor ${second} is online.` : "No lighthouse is online.";
}

export const networkWithoutLighthouse: ItemDescription = {
  Title: ({ item }) => {
    const { id, name } = objectOf(item, "network");
    return (
      <>
        <ObjectLink to={networkPath(id)}>{name}</ObjectLink> has no reachable lighthouse
      </>
    );
  },
  Consequence: ({ item }) =>
    `${describeLighthouses(hostsOf(item).map(({ name }) => name))} Open tunnels stay up, but hosts that restart or change address can’t find each other.`,
  Action: ({ item }) => {
    const isReadOnly = useReadOnly();
    const { id } = objectOf(item, "network");
    return hostsOf(item).length === 0 && !isReadOnly ? (
      <LinkButton size="small" to="/lighthouses/add">
        Add lighthouse
      </LinkButton>
    ) : (
      <LinkButton size="small" to={`/lighthouses?${new URLSearchParams({ "filter.networkID": id })}`}>
        View lighthouses
      </LinkButton>
    );
  },
};
