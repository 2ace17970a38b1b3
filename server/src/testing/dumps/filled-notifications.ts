/** A rule with an unsent digest, and a channel with a delivery. */
import {
  createNotificationChannel,
  createNotificationRule,
  testNotificationChannel,
} from "@lightkeeper/contract";
import type { Session, TestServer } from "../server.ts";

export async function fillNotifications(server: TestServer, { call, email }: Session): Promise<void> {
  const channel = await call(createNotificationChannel, {
    body: { type: "EMAIL", name: "Operations", addresses: [email] },
  });
  const channelIDs = [channel.id];
  await call(createNotificationRule, {
    body: { eventType: "CERTIFICATE_EXPIRING", days: 365, digest: "DAILY", channelIDs },
  });
  await call(createNotificationRule, { body: { eventType: "API_KEY_CREATED", channelIDs } });
  await call(createNotificationChannel, {
    body: { type: "WEBHOOK", name: "Incidents", url: "https://hooks.harborline.example/lightkeeper" },
  });
  await call(testNotificationChannel, { params: { channelID: channel.id } });
  await server.app.notifier.drain();
  await server.app.deliveries.drain();
  await server.app.outbox.drain();
}
