import type { Rule } from "../lib/messages.ts";

export const debugRules: readonly Rule[] = [
  { codes: ["ERR_HOST_OFFLINE"], message: "The host did not answer. Is it on, and is its agent running?" },
  { codes: ["ERR_HOST_NOT_ENROLLED"], message: "The host has never enrolled, so there is nobody to ask." },
  { codes: ["ERR_HOST_BLOCKED"], message: "The host is blocked and is not asked anything." },
  {
    codes: ["ERR_TOO_MANY_REQUESTS"],
    message: "Too many log streams are open. Stop one, or try again in a minute.",
  },
  {
    codes: ["ERR_INVALID_VALUE"],
    path: "args.target",
    message: "Give an address of the network, like 100.100.0.2.",
  },
];
