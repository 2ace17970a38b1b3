import { arch, platform } from "node:os";
import { version } from "./version.ts";

/** Who we are, on every request: the server writes configurations for just this nebula. */
export function userAgent(nebulaVersion: string | undefined): string {
  return `lightkeeper-agent/${version} (${platform()}; ${arch()}) nebula/${nebulaVersion ?? "unknown"}`;
}
