import type { Rule } from "../lib/messages.ts";

/** The server's messages are precise but lack a subject. */
export const ssoRules: readonly Rule[] = [
  {
    codes: ["ERR_INVALID_VALUE", "ERR_INVALID_VALUE_LENGTH"],
    message: ({ message }) => `Invalid value: ${message}.`,
  },
  {
    codes: ["ERR_OIDC_PROVIDER_INACCESSIBLE"],
    message: ({ message }) => `Can’t connect to the provider: ${message}.`,
  },
];
