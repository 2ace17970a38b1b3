/** The operating systems of the hosts. */
import { fractionOf } from "../fraction.ts";

const SYSTEMS = [
  { os: "Debian GNU/Linux 12", kernel: "6.1.0-41-amd64", arch: "amd64" },
  { os: "Debian GNU/Linux 13", kernel: "6.12.48-amd64", arch: "amd64" },
  { os: "Ubuntu 24.04.3 LTS", kernel: "6.8.0-87-generic", arch: "arm64" },
];

export const systemOf = (key: string) =>
  SYSTEMS[Math.floor(fractionOf(`system ${key}`) * SYSTEMS.length)] ?? null;
