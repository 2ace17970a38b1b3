export type Environment = "local" | "preview" | "alpha" | "production";

export interface Config {
  environment: Environment;
  apiURL: string;
  supportEmail: string;
  /** The operator's website, if there is one. */
  marketingURL: string | undefined;
  docsURL: string;
  sentryDSN?: string;
  /** Whether this server offers paid plans. */
  hasPlans: boolean;
  version: string;
}

/** The server writes its configuration into the page. It is empty on the development server and in tests. */
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
