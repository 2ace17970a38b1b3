import { config } from "../lib/config.ts";
import { EnvironmentBadge } from "../ui/base/logo.tsx";

const names = { local: "Local", preview: "Preview", alpha: "Alpha", production: undefined } as const;

/** The badge beside the logo. Production has none. */
export function Environment({ environment = config.environment }: { environment?: keyof typeof names }) {
  const name = names[environment];
  return name ? <EnvironmentBadge>{name}</EnvironmentBadge> : null;
}
