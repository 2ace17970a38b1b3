/** Reads the configuration from environment variables, once. An error names the invalid variable. */
import { resolve } from "node:path";
import * as z from "zod/mini";
import { type Variable, variables } from "./config-variables.ts";

type Values = {
  [Name in keyof typeof variables]: z.output<(typeof variables)[Name]["schema"]>;
};

export type AppEnv = Values["APP_ENV"];

export interface Config {
  host: string;
  port: number;
  appURL: string;
  apiURL: string;
  appEnv: AppEnv;
  signup: Values["SIGNUP"];
  databaseURL: string | undefined;
  /** The database of `databaseURL` without the connection pooler that `databaseURL` leads to. */
  databaseDirectURL: string | undefined;
  dataDir: string;
  secretKey: Buffer | undefined;
  smtpURL: string | undefined;
  mailFrom: string;
  supportEmail: string;
  /** The website that the logo links to before login; without one, the logo links to the console. */
  marketingURL: string | undefined;
  docsURL: string;
  featureFlags: Record<string, boolean>;
  /** Counts hosts, lighthouses and relays. */
  freePlanHostLimit: number;
  /** Undefined if organizations aren't charged. */
  stripe: StripeConfig | undefined;
  metricsToken: string | undefined;
  /** Host names of issuers that may have private IP addresses. */
  oidcAllowedHosts: string[];
  /** Host names of webhook receivers that may have private IP addresses. */
  webhookAllowedHosts: string[];
  /** Maps domains that need no DNS record to organization IDs. */
  trustedDomains: ReadonlyMap<string, string>;
  sentryDSN: string | undefined;
  webSentryDSN: string | undefined;
  logLevel: string;
  trustProxy: false | number;
  /** Requests are still accepted for this long after a signal, so that load balancers can react. */
  shutdownGraceSeconds: number;
}

export interface StripeConfig {
  secretKey: string;
  webhookSecret: string;
  /** The price of one host for one month. */
  priceID: string;
  apiBase: string | undefined;
}

export class ConfigError extends Error {}

type Environment = Record<string, string | undefined>;

function fail(name: keyof Values, message: string): never {
  throw new ConfigError(`${name} ${message}`);
}

const schema = z.object(
  Object.fromEntries(Object.entries(variables).map(([name, variable]) => [name, variable.schema])),
);

const readAppEnv = (env: Environment) => env.APP_ENV || variables.APP_ENV.default;

/** The text of a variable, or its default. */
function readText(env: Environment, name: keyof Values): string | undefined {
  const { default: defaults }: Variable = variables[name];
  if (env[name]) return env[name];
  const template =
    typeof defaults === "object" ? defaults[readAppEnv(env) === "local" ? "local" : "otherwise"] : defaults;
  return template?.replace(/\{([A-Z_]+)\}/g, (_, reference: keyof Values) => readText(env, reference) ?? "");
}

function parseValues(env: Environment): Values {
  const names = Object.keys(variables) as (keyof Values)[];
  const texts = Object.fromEntries(names.map((name) => [name, readText(env, name)]));
  const { data, error } = schema.safeParse(texts);
  const [issue] = error?.issues ?? [];
  if (issue === undefined) return data as Values;
  const name = issue.path[0] as keyof Values;
  return fail(
    name,
    texts[name] === undefined ? `is required while APP_ENV is ${readAppEnv(env)}` : issue.message,
  );
}

const STRIPE_VARIABLES = ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "STRIPE_PRICE_ID"] as const;

/** Stripe needs all of its variables or none of them. */
function readStripe(values: Values): StripeConfig | undefined {
  if (STRIPE_VARIABLES.every((name) => !values[name])) return undefined;
  const requireValue = (name: (typeof STRIPE_VARIABLES)[number]) => {
    const others = STRIPE_VARIABLES.filter((variable) => variable !== name);
    return values[name] ?? fail(name, `is required with ${others.join(" and ")}`);
  };
  return {
    secretKey: requireValue("STRIPE_SECRET_KEY"),
    webhookSecret: requireValue("STRIPE_WEBHOOK_SECRET"),
    priceID: requireValue("STRIPE_PRICE_ID"),
    apiBase: values.STRIPE_API_BASE,
  };
}

const LOOPBACK_HOSTS = new Set(["127.0.0.1", "localhost", "::1", "[::1]"]);

function assertSafe({ appEnv, host, appURL, apiURL, stripe, smtpURL, ...config }: Config): void {
  if (config.databaseURL && !config.secretKey)
    fail("SECRET_KEY", "is required when DATABASE_URL is set (32 bytes in base64)");
  if (config.databaseDirectURL && !config.databaseURL)
    fail("DATABASE_DIRECT_URL", "has no effect without DATABASE_URL");
  if (appEnv === "local") {
    if (!LOOPBACK_HOSTS.has(host)) fail("HOST", "must be a loopback address while APP_ENV is local");
    if (!LOOPBACK_HOSTS.has(new URL(appURL).hostname))
      fail("APP_URL", "must point to this machine while APP_ENV is local");
    return;
  }
  const httpsMessage = `must start with https:// while APP_ENV is ${appEnv}`;
  if (!appURL.startsWith("https:")) fail("APP_URL", `${httpsMessage}, because cookies are Secure`);
  if (!apiURL.startsWith("https:")) fail("API_URL", httpsMessage);
  if (stripe?.apiBase?.startsWith("http:")) fail("STRIPE_API_BASE", httpsMessage);
  if (!smtpURL) fail("SMTP_URL", `is required while APP_ENV is ${appEnv}`);
}

export function readConfig(env: Environment): Config {
  const values = parseValues(env);
  const config: Config = {
    host: values.HOST,
    port: values.PORT,
    appURL: values.APP_URL,
    apiURL: values.API_URL,
    appEnv: values.APP_ENV,
    signup: values.SIGNUP,
    databaseURL: values.DATABASE_URL,
    databaseDirectURL: values.DATABASE_DIRECT_URL,
    dataDir: resolve(values.DATA_DIR),
    secretKey: values.SECRET_KEY,
    smtpURL: values.SMTP_URL,
    mailFrom: values.MAIL_FROM,
    supportEmail: values.SUPPORT_EMAIL,
    marketingURL: values.MARKETING_URL,
    docsURL: values.DOCS_URL,
    featureFlags: values.FEATURE_FLAGS,
    freePlanHostLimit: values.FREE_PLAN_HOST_LIMIT,
    stripe: readStripe(values),
    metricsToken: values.METRICS_TOKEN,
    oidcAllowedHosts: values.OIDC_ALLOWED_HOSTS ?? [],
    webhookAllowedHosts: values.WEBHOOK_ALLOWED_HOSTS ?? [],
    trustedDomains: values.TRUSTED_DOMAINS ?? new Map(),
    sentryDSN: values.SENTRY_DSN,
    webSentryDSN: values.WEB_SENTRY_DSN,
    logLevel: values.LOG_LEVEL,
    trustProxy: values.TRUST_PROXY,
    shutdownGraceSeconds: values.SHUTDOWN_GRACE_SECONDS,
  };
  assertSafe(config);
  return config;
}
