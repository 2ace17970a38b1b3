import type { Rule } from "../lib/messages.ts";

export const debugErrorMessages: readonly Rule[] = [
  {
    codes: ["ERR_HOST_OFFLINE"],
    message: "The host didn’t respond. Check that it’s on and that its agent is running.",
  },
  { codes: ["ERR_HOST_NOT_ENROLLED"], message: "This host isn’t enrolled, so it can’t run commands." },
  { codes: ["ERR_HOST_BLOCKED"], message: "This host is blocked and can’t run commands." },
  {
    codes: ["ERR_TOO_MANY_REQUESTS"],
    message: "Too many log streams are open. Stop one, or try again in a minute.",
  },
  {
    codes: ["ERR_INVALID_VALUE"],
    path: "args.target",
    message: "Enter an overlay address, such as 100.100.0.2 or fd12:3456:789a::2.",
  },
];
