/** Notification channels, rules and deliveries for sample requests. */
import {
  createNotificationChannel,
  createNotificationRule,
  testNotificationChannel,
} from "@lightkeeper/contract";
import { nextSample, type Prepare } from "./sample-inputs.ts";
import type { Session } from "./server.ts";

export const sampleChannel = () =>
  ({
    type: "WEBHOOK",
    name: `Sample ${nextSample()}`,
    url: "https://hooks.example.com/lightkeeper",
  }) as const;

const createChannel = ({ call }: Session) => call(createNotificationChannel, { body: sampleChannel() });

export const withChannel =
  (body?: () => object): Prepare =>
  async (_server, owner) => {
    const { id } = await createChannel(owner);
    return { params: { channelID: id }, ...(body && { body: body() }) };
  };

/** The type of a channel can't be changed. */
export const withChangedChannel = withChannel(() => {
  const { type: _, ...rest } = sampleChannel();
  return rest;
});

export const withDelivery: Prepare = async (_server, owner) => {
  const { id: channelID } = await createChannel(owner);
  const { id } = await owner.call(testNotificationChannel, { params: { channelID } });
  return { params: { deliveryID: id } };
};

export const sampleRule = async (owner: Session) => {
  const { id } = await createChannel(owner);
  return { eventType: "HOST_OFFLINE" as const, thresholdMinutes: 5, channelIDs: [id] };
};

export const withRule: Prepare = async (_server, owner) => {
  const { id } = await owner.call(createNotificationRule, { body: await sampleRule(owner) });
  return { params: { ruleID: id } };
};
