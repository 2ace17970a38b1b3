import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigError, readConfig } from "./config.ts";
import { PRODUCTION } from "../../testing/production.ts";

const key = Buffer.alloc(32, 7).toString("base64");
const stripe = {
  STRIPE_SECRET_KEY: "sk_1",
  STRIPE_WEBHOOK_SECRET: "whsec_1",
  STRIPE_PRICE_ID: "price_1",
};

const ORGANIZATION_ID = `org-${"A".repeat(26)}`;

describe("the configuration", () => {
  it("has a default for every variable in local", () => {
    expect(readConfig({})).toEqual({
      host: "127.0.0.1",
      port: 8080,
      appURL: "http://localhost:8080",
      apiURL: "http://localhost:8080",
      appEnv: "local",
      signup: "open",
      databaseURL: undefined,
      databaseDirectURL: undefined,
      dataDir: resolve("data"),
      secretKey: undefined,
      smtpURL: undefined,
      mailFrom: "Lightkeeper <no-reply@lightkeeper.example>",
      supportEmail: "support@lightkeeper.example",
      marketingURL: "https://lightkeeper.example",
      docsURL: "/docs/",
      featureFlags: { LIST_CERT_AUTHORITIES: true },
      freePlanHostLimit: 100,
      metricsToken: undefined,
      oidcAllowedHosts: [],
      webhookAllowedHosts: [],
      sentryDSN: undefined,
      webSentryDSN: undefined,
      logLevel: "warn",
      trustProxy: false,
      trustedDomains: new Map(),
      shutdownGraceSeconds: 0,
    });
  });

  it("has no marketing site outside local unless it is set", () => {
    expect(readConfig(PRODUCTION).marketingURL).toBeUndefined();
    const MARKETING_URL = "https://company.example.com";
    expect(readConfig({ ...PRODUCTION, MARKETING_URL }).marketingURL).toBe(MARKETING_URL);
  });

  it("logs every request, except in local", () => {
    expect(readConfig(PRODUCTION).logLevel).toBe("info");
    expect(readConfig({ LOG_LEVEL: "debug" }).logLevel).toBe("debug");
  });

  it("waits five seconds for load balancers before a shutdown, except in local", () => {
    expect(readConfig(PRODUCTION).shutdownGraceSeconds).toBe(5);
    expect(readConfig({ ...PRODUCTION, SHUTDOWN_GRACE_SECONDS: "30" }).shutdownGraceSeconds).toBe(30);
    expect(() => readConfig({ SHUTDOWN_GRACE_SECONDS: "soon" })).toThrow("SHUTDOWN_GRACE_SECONDS");
  });

  it("treats an empty variable as not set", () => {
    const names = [
      "PORT",
      "HOST",
      "APP_URL",
      "API_URL",
      "APP_ENV",
      "SIGNUP",
      "DATABASE_URL",
      "DATABASE_DIRECT_URL",
      "SECRET_KEY",
      "SMTP_URL",
    ];
    expect(readConfig(Object.fromEntries(names.map((name) => [name, ""])))).toEqual(readConfig({}));
  });

  it("derives APP_URL from PORT, and API_URL from APP_URL", () => {
    expect(readConfig({ PORT: "3000" })).toMatchObject({ port: 3000, appURL: "http://localhost:3000" });
    expect(readConfig({ ...PRODUCTION, APP_URL: "https://CONSOLE.example.com/" })).toMatchObject({
      appURL: "https://console.example.com",
      apiURL: "https://console.example.com",
    });
    expect(readConfig({ ...PRODUCTION, API_URL: "https://api.example.com" }).apiURL).toBe(
      "https://api.example.com",
    );
  });

  it.each([["preview"], ["alpha"], ["production"]])(
    "allows only the first account to sign up by default in %s",
    (APP_ENV) => {
      expect(readConfig({ ...PRODUCTION, APP_ENV }).signup).toBe("first");
      expect(readConfig({ ...PRODUCTION, APP_ENV, SIGNUP: "open" }).signup).toBe("open");
    },
  );

  it("reads every variable", () => {
    const DATABASE_URL = "postgresql://user:password@db.example.com:5432/lightkeeper";
    const config = readConfig({
      ...PRODUCTION,
      HOST: "0.0.0.0",
      DATABASE_URL,
      SECRET_KEY: key,
      FEATURE_FLAGS: '{"A":false}',
      TRUST_PROXY: "2",
      LOG_LEVEL: "warn",
      METRICS_TOKEN: "sesame",
      OIDC_ALLOWED_HOSTS: "SSO.internal, 10.0.0.1 [::1]",
      TRUSTED_DOMAINS: `Example.com=${ORGANIZATION_ID}, corp.local=${ORGANIZATION_ID}`,
      FREE_PLAN_HOST_LIMIT: "7",
      ...stripe,
    });
    expect([...config.trustedDomains]).toEqual([
      ["example.com", ORGANIZATION_ID],
      ["corp.local", ORGANIZATION_ID],
    ]);
    expect(config).toMatchObject({
      host: "0.0.0.0",
      databaseURL: DATABASE_URL,
      secretKey: Buffer.alloc(32, 7),
      featureFlags: { A: false },
      trustProxy: 2,
      logLevel: "warn",
      metricsToken: "sesame",
      oidcAllowedHosts: ["sso.internal", "10.0.0.1", "[::1]"],
      freePlanHostLimit: 7,
      stripe: { secretKey: "sk_1", webhookSecret: "whsec_1", priceID: "price_1", apiBase: undefined },
    });
  });
});

describe("an invalid variable is named in the error", () => {
  it.each([
    ["PORT", { PORT: "http" }, "must be a number between 0 and 65535"],
    ["PORT", { PORT: "65536" }, "must be a number between 0 and 65535"],
    ["PORT", { PORT: "-1" }, "must be a number between 0 and 65535"],
    ["APP_ENV", { APP_ENV: "staging" }, "must be one of local, preview, alpha, production"],
    ["FREE_PLAN_HOST_LIMIT", { FREE_PLAN_HOST_LIMIT: "many" }, "must be a whole number"],
    ["STRIPE_PRICE_ID", { ...stripe, STRIPE_PRICE_ID: "" }, "is required with STRIPE_SECRET_KEY"],
    ["STRIPE_WEBHOOK_SECRET", { STRIPE_SECRET_KEY: "sk_1" }, "is required with STRIPE_SECRET_KEY"],
    ["STRIPE_API_BASE", { ...stripe, STRIPE_API_BASE: "double" }, "must be a URL"],
    [
      "STRIPE_API_BASE",
      { ...PRODUCTION, ...stripe, STRIPE_API_BASE: "http://double.example.com" },
      "must start with https:// while APP_ENV is production",
    ],
    ["OIDC_ALLOWED_HOSTS", { OIDC_ALLOWED_HOSTS: "sso.internal:8443" }, "must be a list of host names"],
    ["OIDC_ALLOWED_HOSTS", { OIDC_ALLOWED_HOSTS: "https://sso.internal" }, "must be a list of host names"],
    [
      "TRUSTED_DOMAINS",
      { TRUSTED_DOMAINS: "example.com" },
      "must be a list of domains with organization IDs",
    ],
    ["TRUSTED_DOMAINS", { TRUSTED_DOMAINS: `local=${ORGANIZATION_ID}` }, "must be a list of domains"],
    ["TRUSTED_DOMAINS", { TRUSTED_DOMAINS: `a.com=${ORGANIZATION_ID}=b` }, "must be a list of domains"],
    [
      "TRUSTED_DOMAINS",
      { TRUSTED_DOMAINS: `a.com=${ORGANIZATION_ID},A.com=${ORGANIZATION_ID}` },
      "contains a.com twice",
    ],
    ["SIGNUP", { SIGNUP: "yes" }, "must be one of open, first, closed"],
    ["LOG_LEVEL", { LOG_LEVEL: "loud" }, "must be one of trace, debug, info, warn, error, fatal, silent"],
    ["APP_URL", { APP_URL: "console" }, "must be a URL such as https://example.com"],
    ["APP_URL", { APP_URL: "ftp://localhost" }, "must start with http:// or https://"],
    ["APP_URL", { APP_URL: "http://localhost/console" }, "must be an origin only"],
    ["APP_URL", { APP_URL: "http://user@localhost" }, "must be an origin only"],
    ["API_URL", { API_URL: "http://localhost?x=1" }, "must be an origin only"],
    ["SECRET_KEY", { SECRET_KEY: "short" }, "must be 32 bytes in base64"],
    ["SECRET_KEY", { SECRET_KEY: Buffer.alloc(33).toString("base64") }, "must be 32 bytes in base64"],
    ["SECRET_KEY", { DATABASE_URL: "postgresql://localhost/x" }, "is required when DATABASE_URL is set"],
    ["DATABASE_URL", { DATABASE_URL: "localhost", SECRET_KEY: key }, "must be a URL such as postgresql://"],
    [
      "DATABASE_DIRECT_URL",
      { DATABASE_DIRECT_URL: "postgresql://localhost/x" },
      "has no effect without DATABASE_URL",
    ],
    ["FEATURE_FLAGS", { FEATURE_FLAGS: "{" }, "must be a JSON map of booleans"],
    ["FEATURE_FLAGS", { FEATURE_FLAGS: "[true]" }, "must be a JSON map of booleans"],
    ["FEATURE_FLAGS", { FEATURE_FLAGS: "null" }, "must be a JSON map of booleans"],
    ["FEATURE_FLAGS", { FEATURE_FLAGS: '{"A":"true"}' }, "must be a JSON map of booleans"],
    ["TRUST_PROXY", { TRUST_PROXY: "true" }, "must be false or the number of proxies in front of the server"],
    ["TRUST_PROXY", { TRUST_PROXY: "0" }, "must be false or the number of proxies in front of the server"],
    ["SMTP_URL", { SMTP_URL: "mail.example.com" }, "must start with smtp:// or smtps://"],
    ["HOST", { HOST: "0.0.0.0" }, "must be a loopback address while APP_ENV is local"],
    [
      "APP_URL",
      { APP_URL: "http://console.example.com" },
      "must point to this machine while APP_ENV is local",
    ],
    [
      "APP_URL",
      { ...PRODUCTION, APP_URL: "http://console.example.com" },
      "must start with https:// while APP_ENV is production",
    ],
    ["SMTP_URL", { ...PRODUCTION, SMTP_URL: "" }, "is required while APP_ENV is production"],
    ["SUPPORT_EMAIL", { ...PRODUCTION, SUPPORT_EMAIL: "" }, "is required while APP_ENV is production"],
    ["API_URL", { ...PRODUCTION, API_URL: "http://api.example.com" }, "must start with https://"],
    ["MARKETING_URL", { MARKETING_URL: "javascript:alert(1)" }, "must be a URL that starts with http://"],
    ["DOCS_URL", { DOCS_URL: "//elsewhere.example" }, "must be a path or a URL"],
    ["SENTRY_DSN", { SENTRY_DSN: "sentry" }, "must be a URL that starts with http://"],
    ["WEB_SENTRY_DSN", { WEB_SENTRY_DSN: "sentry" }, "must be a URL that starts with http://"],
    ["SUPPORT_EMAIL", { SUPPORT_EMAIL: "the desk" }, "must be an email address"],
    ["MAIL_FROM", { MAIL_FROM: "Lightkeeper" }, "must be an email address"],
  ])("%s: %o", (name, environment, message) => {
    const read = () => readConfig(environment);
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(new RegExp(`^${name} .`));
    expect(read).toThrow(message);
  });
});
