import type { Rule } from "../lib/messages.ts";

/** The server says exactly what is wrong; it only lacks the sentence's shape. */
export const ssoRules: readonly Rule[] = [
  {
    codes: ["ERR_INVALID_VALUE", "ERR_INVALID_VALUE_LENGTH"],
    message: ({ message }) => `This is refused: ${message}.`,
  },
  {
    codes: ["ERR_OIDC_PROVIDER_INACCESSIBLE"],
    message: ({ message }) => `The provider cannot be asked: ${message}.`,
  },
];
