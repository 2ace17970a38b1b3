import { arch, platform } from "node:os";
import { version } from "./version.ts";

/** Sent with every request: the server renders configurations for this version of nebula. */
export function userAgent(nebulaVersion: string | undefined): string {
  return `lightkeeper-agent/${version} (${platform()}; ${arch()}) nebula/${nebulaVersion ?? "unknown"}`;
}
