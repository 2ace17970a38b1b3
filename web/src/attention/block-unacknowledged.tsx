import { formatCount } from "../lib/format.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { hostPathOf, hostsOf, type ItemDescription, ObjectLink } from "./item-parts.tsx";

const newestOf = (item: Parameters<typeof hostsOf>[0]) => hostsOf(item)[0] ?? { id: "", name: "" };

export const blockUnacknowledged: ItemDescription = {
  Title: ({ item }) => {
    const newest = newestOf(item);
    const others = hostsOf(item).length > 1 ? " and earlier blocks" : "";
    return (
      <>
        {formatCount(item.hostCount, "host")} {item.hostCount === 1 ? "hasn’t" : "haven’t"} acknowledged the
        block of <ObjectLink to={hostPathOf(newest)}>{newest.name}</ObjectLink>
        {others}
      </>
    );
  },
  Consequence: () => "A host that is offline applies the block when its agent reconnects.",
  Action: ({ item }) => (
    <LinkButton size="small" to={hostPathOf(newestOf(item))}>
      View block
    </LinkButton>
  ),
};
