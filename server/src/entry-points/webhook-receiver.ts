/** For programs that need no other test double: those load an OpenID provider. */
export {
  type ReceivedRequest,
  startWebhookReceiver,
  type WebhookReceiver,
} from "../testing/webhook-receiver.ts";
