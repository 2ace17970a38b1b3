/** Environment variables, parsed once. A wrong one stops the start with a sentence that names it. */
import { resolve } from "node:path";
import { isDomainName } from "@lightkeeper/contract";

export type AppEnv = "local" | "preview" | "alpha" | "production";
export type SignupMode = "open" | "first" | "closed";

export interface Config {
  host: string;
  port: number;
  appURL: string;
  apiURL: string;
  appEnv: AppEnv;
  signup: SignupMode;
  databaseURL: string | undefined;
  dataDir: string;
  secretKey: Buffer | undefined;
  smtpURL: string | undefined;
  mailFrom: string;
  supportEmail: string;
  /** Where the logo leads before anybody is signed in; without it, to the console. */
  marketingURL: string | undefined;
  docsURL: string;
  featureFlags: Record<string, boolean>;
  /** Hosts of all kinds on the free plan. */
  freePlanHostLimit: number;
  /** Without it nobody is charged. */
  stripe: StripeConfig | undefined;
  metricsToken: string | undefined;
  /** Issuers that may have private addresses. */
  oidcAllowedHosts: string[];
  /** The organization ID of each domain that needs no DNS record. */
  trustedDomains: ReadonlyMap<string, string>;
  sentryDSN: string | undefined;
  webSentryDSN: string | undefined;
  logLevel: string;
  trustProxy: false | number;
  /** How long requests are still accepted after a signal, while balancers notice. */
  shutdownGraceSeconds: number;
}

export interface StripeConfig {
  secretKey: string;
  webhookSecret: string;
  /** Of one host for one month. */
  priceID: string;
  apiBase: string | undefined;
}

export class ConfigError extends Error {}

type Environment = Record<string, string | undefined>;

function refuse(name: string, sentence: string): never {
  throw new ConfigError(`${name} ${sentence}`);
}

function oneOf<const T extends string>(
  env: Environment,
  name: string,
  choices: readonly T[],
  fallback: T,
): T {
  const value = env[name] || fallback;
  return choices.find((choice) => choice === value) ?? refuse(name, `must be one of ${choices.join(", ")}`);
}

function port(env: Environment): number {
  const value = env.PORT || "8080";
  const parsed = Number(value);
  if (!/^\d+$/.test(value) || parsed > 65535) refuse("PORT", "must be a number between 0 and 65535");
  return parsed;
}

function origin(env: Environment, name: string, fallback: string): string {
  const value = env[name] || fallback;
  const url = URL.canParse(value)
    ? new URL(value)
    : refuse(name, "must be a URL such as https://example.com");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    refuse(name, "must start with http:// or https://");
  if (url.pathname !== "/" || url.search || url.hash || url.username)
    refuse(name, "must be an origin only, without a path, query or credentials");
  return url.origin;
}

/** An address for people to follow; `path` where one on this server will do. */
function link(env: Environment, name: string, fallback: string, { path = false } = {}): string {
  const value = env[name] || fallback;
  if (path && /^\/(?!\/)/.test(value)) return value;
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol))
    refuse(name, `must be ${path ? "a path or " : ""}a URL that starts with http:// or https://`);
  return value;
}

function optionalLink(env: Environment, name: string): string | undefined {
  return env[name] ? link(env, name, "") : undefined;
}

function mailAddress(env: Environment, name: string, fallback: string): string {
  const value = env[name] || fallback;
  if (!/^[^\r\n]*[^\s@]+@[^\s@]+$/.test(value)) refuse(name, "must be an e-mail address");
  return value;
}

function secretKey(env: Environment): Buffer | undefined {
  const value = env.SECRET_KEY;
  if (!value) return undefined;
  const key = Buffer.from(value, "base64");
  if (key.length !== 32)
    refuse("SECRET_KEY", "must be 32 bytes in base64 (for example: openssl rand -base64 32)");
  return key;
}

function featureFlags(env: Environment): Record<string, boolean> {
  const value = env.FEATURE_FLAGS || '{"LIST_CERT_AUTHORITIES":true}';
  const complaint = 'must be a JSON map of booleans, such as {"LIST_CERT_AUTHORITIES":true}';
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    refuse("FEATURE_FLAGS", complaint);
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    refuse("FEATURE_FLAGS", complaint);
  if (Object.values(parsed).some((flag) => typeof flag !== "boolean")) refuse("FEATURE_FLAGS", complaint);
  return parsed as Record<string, boolean>;
}

function whole(env: Environment, name: string, fallback: number): number {
  const value = env[name] || String(fallback);
  if (!/^\d{1,9}$/.test(value)) refuse(name, "must be a whole number");
  return Number(value);
}

/** All of it or nothing. */
function stripe(env: Environment): StripeConfig | undefined {
  const names = ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "STRIPE_PRICE_ID"] as const;
  if (names.every((name) => !env[name])) return undefined;
  const [secretKey, webhookSecret, priceID] = names.map(
    (name) =>
      env[name] || refuse(name, `is required with ${names.filter((other) => other !== name).join(" and ")}`),
  ) as [string, string, string];
  const apiBase = env.STRIPE_API_BASE ? origin(env, "STRIPE_API_BASE", "") : undefined;
  return { secretKey, webhookSecret, priceID, apiBase };
}

/** As they stand in addresses, with commas or spaces between. */
function hostNames(env: Environment, name: string): string[] {
  const names = (env[name] ?? "").split(/[\s,]+/).filter(Boolean);
  return names.map((one) => {
    const url = URL.canParse(`https://${one}`) ? new URL(`https://${one}`) : undefined;
    const isHost = url?.host === url?.hostname && url?.pathname === "/" && !url.username && !url.search;
    if (!url || !isHost) refuse(name, "must be a list of host names without ports, such as sso.example.com");
    return url.hostname;
  });
}

/** Pairs such as example.com=org-…, separated by commas or spaces. */
function trustedDomains(env: Environment): ReadonlyMap<string, string> {
  const name = "TRUSTED_DOMAINS";
  const domains = new Map<string, string>();
  for (const pair of (env[name] ?? "").split(/[\s,]+/).filter(Boolean)) {
    const [domain = "", organizationID = "", ...rest] = pair.split("=");
    const key = domain.toLowerCase();
    if (!isDomainName(key) || !/^org-[A-Z2-7]{26}$/.test(organizationID) || rest.length > 0)
      refuse(name, "must be a list of domains with organization IDs, such as example.com=org-…");
    if (domains.has(key)) refuse(name, `assigns ${key} twice: a domain belongs to one organization`);
    domains.set(key, organizationID);
  }
  return domains;
}

function trustProxy(env: Environment): false | number {
  const value = env.TRUST_PROXY || "false";
  if (value === "false") return false;
  if (!/^[1-9]\d?$/.test(value)) refuse("TRUST_PROXY", "must be false or the number of proxies in front");
  return Number(value);
}

const LOOPBACK_HOSTS = new Set(["127.0.0.1", "localhost", "::1", "[::1]"]);

function refuseUnsafe(config: Config): void {
  if (config.appEnv === "local") {
    if (!LOOPBACK_HOSTS.has(config.host)) refuse("HOST", "must be a loopback address while APP_ENV is local");
    if (!LOOPBACK_HOSTS.has(new URL(config.appURL).hostname))
      refuse("APP_URL", "must point to this machine while APP_ENV is local");
    return;
  }
  if (!config.appURL.startsWith("https:"))
    refuse("APP_URL", `must start with https:// while APP_ENV is ${config.appEnv} (the cookies are Secure)`);
  if (!config.apiURL.startsWith("https:"))
    refuse("API_URL", `must start with https:// while APP_ENV is ${config.appEnv}`);
  if (config.stripe?.apiBase?.startsWith("http:"))
    refuse("STRIPE_API_BASE", `must start with https:// while APP_ENV is ${config.appEnv}`);
  if (!config.smtpURL) refuse("SMTP_URL", `is required while APP_ENV is ${config.appEnv}`);
}

export function readConfig(env: Environment): Config {
  const appEnv = oneOf(env, "APP_ENV", ["local", "preview", "alpha", "production"], "local");
  const isLocal = appEnv === "local";
  if (!isLocal && !env.SUPPORT_EMAIL)
    refuse("SUPPORT_EMAIL", `is required while APP_ENV is ${appEnv}: the console asks people to write there`);
  const listenPort = port(env);
  const appURL = origin(env, "APP_URL", `http://localhost:${listenPort}`);
  const config: Config = {
    host: env.HOST || "127.0.0.1",
    port: listenPort,
    appURL,
    apiURL: origin(env, "API_URL", appURL),
    appEnv,
    signup: oneOf(env, "SIGNUP", ["open", "first", "closed"], isLocal ? "open" : "first"),
    databaseURL: env.DATABASE_URL || undefined,
    dataDir: resolve(env.DATA_DIR || "data"),
    secretKey: secretKey(env),
    smtpURL: env.SMTP_URL || undefined,
    mailFrom: mailAddress(env, "MAIL_FROM", "Lightkeeper <no-reply@lightkeeper.example>"),
    supportEmail: mailAddress(env, "SUPPORT_EMAIL", "support@lightkeeper.example"),
    marketingURL: isLocal
      ? link(env, "MARKETING_URL", "https://lightkeeper.example")
      : optionalLink(env, "MARKETING_URL"),
    docsURL: link(env, "DOCS_URL", "/docs/", { path: true }),
    featureFlags: featureFlags(env),
    freePlanHostLimit: whole(env, "FREE_PLAN_HOST_LIMIT", 100),
    stripe: stripe(env),
    metricsToken: env.METRICS_TOKEN || undefined,
    oidcAllowedHosts: hostNames(env, "OIDC_ALLOWED_HOSTS"),
    trustedDomains: trustedDomains(env),
    sentryDSN: optionalLink(env, "SENTRY_DSN"),
    webSentryDSN: optionalLink(env, "WEB_SENTRY_DSN"),
    logLevel: oneOf(env, "LOG_LEVEL", ["trace", "debug", "info", "warn", "error", "fatal", "silent"], "info"),
    trustProxy: trustProxy(env),
    shutdownGraceSeconds: whole(env, "SHUTDOWN_GRACE_SECONDS", isLocal ? 0 : 5),
  };
  if (config.databaseURL && !URL.canParse(config.databaseURL))
    refuse("DATABASE_URL", "must be a URL such as postgresql://user:password@host:5432/lightkeeper");
  if (config.databaseURL && !config.secretKey)
    refuse("SECRET_KEY", "is required when DATABASE_URL is set (32 bytes in base64)");
  if (config.smtpURL && !/^smtps?:\/\//.test(config.smtpURL))
    refuse("SMTP_URL", "must start with smtp:// or smtps://");
  refuseUnsafe(config);
  return config;
}
