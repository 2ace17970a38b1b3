/** Test doubles of external systems, and the compiler of configurations, for end-to-end tests. */
export { type DesiredState, desiredState } from "../features/control/compile.ts";
export type { Snapshot } from "../features/control/snapshot.ts";
export { type ProviderPerson, startProvider, type TestProvider } from "../testing/oidc-provider.ts";
export { isSignedWith, startWebhookReceiver, type WebhookReceiver } from "../testing/webhook-receiver.ts";
