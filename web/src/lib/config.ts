export type Environment = "local" | "preview" | "alpha" | "production";

export interface Config {
  environment: Environment;
  apiURL: string;
  supportEmail: string;
  /** The operator's website, if there is one. */
  marketingURL: string | undefined;
  docsURL: string;
  sentryDSN?: string;
  /** Whether people choose and pay for a plan here. */
  hasPlans: boolean;
  version: string;
}

/** The server writes its configuration into the page; the development server and the tests leave it empty. */
export function parseConfig(content: string | null | undefined, origin: string): Config {
  return {
    environment: "local",
    apiURL: origin,
    supportEmail: "support@lightkeeper.example",
    marketingURL: content ? undefined : "https://lightkeeper.example",
    docsURL: "/docs/",
    hasPlans: false,
    version: "dev",
    ...(content ? (JSON.parse(content) as Partial<Config>) : {}),
  };
}

const meta = document.querySelector<HTMLMetaElement>('meta[name="lightkeeper-config"]');

export const config: Config = parseConfig(meta?.content, location.origin);
