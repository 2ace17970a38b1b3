export const NOTIFICATIONS_PATH = "/settings/notifications";
export const notificationChannelPath = (id: string) => `${NOTIFICATIONS_PATH}/channels/${id}`;
export const notificationRulePath = (id: string) => `${NOTIFICATIONS_PATH}/rules/${id}`;
