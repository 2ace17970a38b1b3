/** The environment variables of the server. The tables in README.md and docs/configuration.md are generated from them. */
import * as z from "zod/mini";
import {
  databaseURL,
  emailAddress,
  featureFlags,
  hostNames,
  link,
  linkOrPath,
  oneOf,
  origin,
  port,
  proxyCount,
  secretKey,
  smtpURL,
  text,
  trustedDomains,
  wholeNumber,
} from "./config-schemas.ts";

export interface Variable {
  /** Markdown, with links relative to docs/. */
  description: string;
  /** The text that's used if the variable isn't set; `{NAME}` stands for the value of another variable. */
  default?: string | { local?: string; otherwise?: string };
  /** Markdown that replaces the default in the tables. */
  defaultDescription?: string;
  schema: z.ZodMiniType<unknown, string | undefined>;
}

const REQUIRED_OUTSIDE_LOCAL = "Required unless `APP_ENV` is `local`";

export const variables = {
  PORT: { description: "Port to listen on", default: "8080", schema: port },
  HOST: { description: "IP address to listen on", default: "127.0.0.1", schema: text },
  APP_URL: {
    description:
      "Public origin of the console and the API, used in email links, redirect URLs and the install command",
    default: "http://localhost:{PORT}",
    schema: origin,
  },
  API_URL: {
    description:
      "Origin of the API that the console calls. If it differs from `APP_URL`, CORS allows requests from `APP_URL` only",
    default: "{APP_URL}",
    schema: origin,
  },
  APP_ENV: {
    description:
      "`local`, `preview`, `alpha` or `production`. See [Environments](configuration.md#environments)",
    default: "local",
    schema: oneOf(["local", "preview", "alpha", "production"]),
  },
  SIGNUP: {
    description:
      "Who can sign up. `open`: anyone. `first`: only the first account, then by invitation. `closed`: only by invitation. Outside `local`, the first account needs a [setup code](production.md#create-the-first-account)",
    default: { local: "open", otherwise: "first" },
    schema: oneOf(["open", "first", "closed"]),
  },
  DATABASE_URL: {
    description: "PostgreSQL URL. If it isn't set, the server runs an embedded PostgreSQL in `DATA_DIR`",
    schema: z.optional(databaseURL),
  },
  DATABASE_DIRECT_URL: {
    description:
      "URL of the same database without a connection pooler. Required if `DATABASE_URL` leads to PgBouncer in transaction mode. See [PgBouncer](high-availability.md#pgbouncer)",
    schema: z.optional(databaseURL),
  },
  DATA_DIR: {
    description: "Directory of the embedded database, the generated secret key and local email",
    default: "./data",
    schema: text,
  },
  SECRET_KEY: {
    description:
      "32 random bytes in base64, for example from `openssl rand -base64 32`. Encrypts CA keys, TOTP secrets and client secrets in the database. Required with `DATABASE_URL`",
    defaultDescription: "generated in `DATA_DIR/secret.key`",
    schema: z.optional(secretKey),
  },
  SMTP_URL: {
    description: `Mail server, as an \`smtp://\` or \`smtps://\` URL. Needs TLS unless it is on this machine or the URL ends with \`?requireTLS=false\`. ${REQUIRED_OUTSIDE_LOCAL}`,
    schema: z.optional(smtpURL),
  },
  MAIL_FROM: {
    description: "Sender of emails",
    default: "Lightkeeper <no-reply@lightkeeper.example>",
    schema: emailAddress,
  },
  SUPPORT_EMAIL: {
    description: `Address that receives messages from [Contact us](/support/contact) and that error pages show. ${REQUIRED_OUTSIDE_LOCAL}`,
    default: { local: "support@lightkeeper.example" },
    schema: emailAddress,
  },
  MARKETING_URL: {
    description:
      "Website that the logo on the login and sign-up pages links to. If it isn't set, the logo links to the console",
    default: { local: "https://lightkeeper.example" },
    schema: z.optional(link),
  },
  DOCS_URL: {
    description: "Path or URL that **Documentation** in the console links to",
    default: "/docs/",
    schema: linkOrPath,
  },
  FEATURE_FLAGS: {
    description:
      "Feature flags, as a JSON map of booleans. For one organization, use `npm run cli -- flag ORGANIZATION_ID NAME true`",
    default: '{"LIST_CERT_AUTHORITIES":true}',
    schema: featureFlags,
  },
  FREE_PLAN_HOST_LIMIT: {
    description:
      "Hosts, lighthouses and relays that an organization on the Free plan can have. See [Billing](billing.md)",
    default: "100",
    schema: wholeNumber,
  },
  STRIPE_SECRET_KEY: {
    description:
      "Secret key of your Stripe account. Set it together with `STRIPE_WEBHOOK_SECRET` and `STRIPE_PRICE_ID` to charge with [Stripe](billing.md#charge-with-stripe)",
    schema: z.optional(text),
  },
  STRIPE_WEBHOOK_SECRET: {
    description: "Signing secret of the Stripe webhook endpoint",
    schema: z.optional(text),
  },
  STRIPE_PRICE_ID: {
    description: "ID of the Stripe price for one host per month",
    schema: z.optional(text),
  },
  STRIPE_API_BASE: {
    description: "Origin of the Stripe API, for tests",
    schema: z.optional(origin),
  },
  METRICS_TOKEN: {
    description: "Bearer token for `/metrics`. If it isn't set, only this machine can read the metrics",
    schema: z.optional(text),
  },
  OIDC_ALLOWED_HOSTS: {
    description:
      "Host names of identity providers that may have private IP addresses, separated by commas or spaces",
    schema: z.optional(hostNames),
  },
  WEBHOOK_ALLOWED_HOSTS: {
    description:
      "Host names of [webhook](notifications.md#webhooks) receivers that may have private IP addresses or use HTTP without TLS, separated by commas or spaces",
    schema: z.optional(hostNames),
  },
  TRUSTED_DOMAINS: {
    description:
      "Email domains that belong to an organization without DNS verification, such as `example.com=org-…`, separated by commas or spaces. See [Verify a domain](single-sign-on.md#verify-a-domain)",
    schema: z.optional(trustedDomains),
  },
  SENTRY_DSN: { description: "Sentry DSN for errors of the server", schema: z.optional(link) },
  WEB_SENTRY_DSN: { description: "Sentry DSN for errors of the console", schema: z.optional(link) },
  LOG_LEVEL: {
    description: "`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`. `info` logs every request",
    default: { local: "warn", otherwise: "info" },
    schema: oneOf(["trace", "debug", "info", "warn", "error", "fatal", "silent"]),
  },
  TRUST_PROXY: {
    description:
      "Number of proxies in front of the server whose `X-Forwarded-For` header is trusted. See [TLS](production.md#tls)",
    default: "false",
    schema: proxyCount,
  },
  SHUTDOWN_GRACE_SECONDS: {
    description:
      "Seconds during which the server still accepts requests after SIGTERM or SIGINT. See [Restart without failed requests](high-availability.md#restart-without-failed-requests)",
    default: { local: "0", otherwise: "5" },
    schema: wholeNumber,
  },
} satisfies Record<string, Variable>;
