import type { Config } from "../config/config.ts";
import type { AllowedHosts } from "./pinned-connections.ts";

/** Receivers of webhooks that may have private addresses. */
export const allowedReceivers = ({
  webhookAllowedHosts,
}: Pick<Config, "webhookAllowedHosts">): AllowedHosts => ({
  names: webhookAllowedHosts,
  variable: "WEBHOOK_ALLOWED_HOSTS",
  allowHttp: true,
});
