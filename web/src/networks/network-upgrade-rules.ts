import type { Rule } from "../lib/messages.ts";

/** The server returns the reason as a fragment, completed to a sentence here. */
export const upgradeRejected: Rule = {
  path: null,
  codes: ["ERR_INVALID_VALUE"],
  message: ({ message }) => `${message.charAt(0).toUpperCase()}${message.slice(1)}.`,
};
