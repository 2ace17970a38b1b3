import { CAS_PATH, rotatePath } from "../references/ca-paths.ts";
import { formatCount } from "../lib/format.ts";
import { useReadOnly } from "../ui/base/read-only.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { Time, useNow } from "../ui/text/time.tsx";
import { formatDay, type ItemDescription, ObjectLink, objectOf } from "./item-parts.tsx";

export const caExpiring: ItemDescription = {
  Title: ({ item }) => {
    const isExpired = useNow() >= Date.parse(item.expiresAt ?? "");
    return (
      <>
        <ObjectLink to={CAS_PATH}>{objectOf(item, "ca").name}</ObjectLink> {isExpired ? "expired" : "expires"}{" "}
        <Time at={item.expiresAt ?? ""} />
      </>
    );
  },
  Consequence: ({ item }) => {
    const at = item.expiresAt ?? "";
    const isExpired = useNow() >= Date.parse(at);
    const { name } = objectOf(item, "network");
    const hosts =
      item.hostCount === 0
        ? "hosts"
        : item.hostCount === 1
          ? "the host"
          : `the ${formatCount(item.hostCount, "host")}`;
    const none =
      item.hostCount === 1 ? `the host in ${name} can’t connect` : `none of ${hosts} in ${name} can connect`;
    return `${isExpired ? "Since" : "After"} ${formatDay(at)}, ${none}.`;
  },
  Action: ({ item }) =>
    useReadOnly() ? (
      <LinkButton size="small" to={CAS_PATH}>
        View CA
      </LinkButton>
    ) : (
      <LinkButton size="small" to={rotatePath(objectOf(item, "network").id)}>
        Rotate CA
      </LinkButton>
    ),
};
