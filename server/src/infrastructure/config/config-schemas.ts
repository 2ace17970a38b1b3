/** Schemas that parse the text of an environment variable. Their messages follow the name of the variable. */
import { isDomainName } from "@lightkeeper/contract";
import { PORT_MAX } from "@lightkeeper/contract/limits";
import * as z from "zod/mini";

const checked = (isValid: (value: string) => boolean, message: string) =>
  z.string().check(z.refine(isValid, { error: message, abort: true }));

const parseURL = (value: string) => (URL.canParse(value) ? new URL(value) : undefined);

const isWebURL = (value: string) => /^https?:$/.test(parseURL(value)?.protocol ?? "");

const items = (value: string) => value.split(/[\s,]+/).filter(Boolean);

export const text = z.string();

export const oneOf = <const T extends readonly string[]>(choices: T) =>
  z.enum(choices, `must be one of ${choices.join(", ")}`);

export const port = z.pipe(
  checked(
    (value) => /^\d+$/.test(value) && Number(value) <= PORT_MAX,
    `must be a number between 0 and ${PORT_MAX}`,
  ),
  z.transform(Number),
);

export const wholeNumber = z.pipe(
  checked((value) => /^\d{1,9}$/.test(value), "must be a whole number"),
  z.transform(Number),
);

export const origin = z.pipe(
  z.string().check(
    z.refine((value) => URL.canParse(value), {
      error: "must be a URL such as https://example.com",
      abort: true,
    }),
    z.refine(isWebURL, { error: "must start with http:// or https://", abort: true }),
    z.refine(
      (value) => {
        const { pathname, search, hash, username } = new URL(value);
        return pathname === "/" && !search && !hash && !username;
      },
      { error: "must be an origin only, without a path, query or credentials", abort: true },
    ),
  ),
  z.transform((value) => new URL(value).origin),
);

export const link = checked(isWebURL, "must be a URL that starts with http:// or https://");

export const linkOrPath = checked(
  (value) => /^\/(?!\/)/.test(value) || isWebURL(value),
  "must be a path or a URL that starts with http:// or https://",
);

export const emailAddress = checked(
  (value) => /^[^\r\n]*[^\s@]+@[^\s@]+$/.test(value),
  "must be an email address",
);

export const databaseURL = checked(
  (value) => URL.canParse(value),
  "must be a URL such as postgresql://user:password@host:5432/lightkeeper",
);

export const smtpURL = checked((value) => /^smtps?:\/\//.test(value), "must start with smtp:// or smtps://");

const SECRET_KEY_BYTES = 32;

export const secretKey = z.pipe(
  checked(
    (value) => Buffer.from(value, "base64").length === SECRET_KEY_BYTES,
    "must be 32 bytes in base64 (for example: openssl rand -base64 32)",
  ),
  z.transform((value) => Buffer.from(value, "base64")),
);

const FLAGS_MESSAGE = 'must be a JSON map of booleans, such as {"LIST_CERT_AUTHORITIES":true}';

const json = z.transform((value: string, { issues }): unknown => {
  try {
    return JSON.parse(value);
  } catch {
    issues.push({ code: "custom", input: value, message: FLAGS_MESSAGE });
    return z.NEVER;
  }
});

export const featureFlags = z.pipe(
  z.pipe(z.string(), json),
  z.record(z.string(), z.boolean(FLAGS_MESSAGE), FLAGS_MESSAGE),
);

function isHostName(value: string): boolean {
  const url = parseURL(`https://${value}`);
  return (
    url !== undefined && url.host === url.hostname && url.pathname === "/" && !url.username && !url.search
  );
}

/** Host names as they appear in URLs, separated by commas or spaces. */
export const hostNames = z.pipe(
  checked(
    (value) => items(value).every(isHostName),
    "must be a list of host names without ports, such as sso.example.com",
  ),
  z.transform((value) => items(value).map((item) => new URL(`https://${item}`).hostname)),
);

const domainPairs = (value: string) =>
  items(value).map((pair) => {
    const [domain = "", organizationID = "", ...rest] = pair.split("=");
    const isValid =
      isDomainName(domain.toLowerCase()) && /^org-[A-Z2-7]{26}$/.test(organizationID) && rest.length === 0;
    return { domain: domain.toLowerCase(), organizationID, isValid };
  });

function findDuplicate(value: string): string | undefined {
  const domains = domainPairs(value).map(({ domain }) => domain);
  return domains.find((domain, index) => domains.indexOf(domain) !== index);
}

/** Pairs such as example.com=org-…, separated by commas or spaces. */
export const trustedDomains = z.pipe(
  z.string().check(
    z.refine((value) => domainPairs(value).every(({ isValid }) => isValid), {
      error: "must be a list of domains with organization IDs, such as example.com=org-…",
      abort: true,
    }),
    z.refine((value) => findDuplicate(value) === undefined, {
      error: ({ input }) =>
        `contains ${findDuplicate(String(input))} twice, but a domain belongs to one organization`,
      abort: true,
    }),
  ),
  z.transform(
    (value): ReadonlyMap<string, string> =>
      new Map(domainPairs(value).map(({ domain, organizationID }) => [domain, organizationID])),
  ),
);

export const proxyCount = z.pipe(
  checked(
    (value) => /^(false|[1-9]\d?)$/.test(value),
    "must be false or the number of proxies in front of the server",
  ),
  z.transform((value): false | number => (value === "false" ? false : Number(value))),
);
