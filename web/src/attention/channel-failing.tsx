import { notificationChannelPath } from "../references/notification-paths.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { type ItemDescription, ObjectLink, objectOf } from "./item-parts.tsx";

export const channelFailing: ItemDescription = {
  Title: ({ item }) => {
    const { id, name } = objectOf(item, "notificationChannel");
    return (
      <>
        Notifications can’t be delivered to <ObjectLink to={notificationChannelPath(id)}>{name}</ObjectLink>
      </>
    );
  },
  Consequence: () => "Each message is tried again for a day, and then given up.",
  Action: ({ item }) => (
    <LinkButton size="small" to={notificationChannelPath(objectOf(item, "notificationChannel").id)}>
      View deliveries
    </LinkButton>
  ),
};
