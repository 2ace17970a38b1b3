/**
 * A network namespace for Chromium, because Chromium drops its connections when an interface is added or removed, which
 * the dataplane tests do. One port is forwarded to a server on loopback. Requires Linux and root.
 */
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CHROMIUM } from "./browser.ts";

export interface QuietNetwork {
  /** The name of the namespace. */
  namespace: string;
  /** Path of a script that runs Chromium in the namespace. */
  executable: string;
  remove: () => void;
}

const FORWARD = join(import.meta.dirname, "forward.mjs");

export async function createQuietNetwork(port: number): Promise<QuietNetwork> {
  const name = `lk-quiet-${randomBytes(3).toString("hex")}`;
  const directory = mkdtempSync(join(tmpdir(), "lightkeeper-quiet-"));
  const ip = (...args: string[]) => execFileSync("ip", args);
  ip("netns", "add", name);
  ip("-n", name, "link", "set", "lo", "up");
  // With loopback only, a browser considers itself offline.
  ip("-n", name, "link", "add", "quiet0", "type", "veth", "peer", "name", "quiet1");
  ip("-n", name, "addr", "add", "198.51.100.1/24", "dev", "quiet0");
  for (const device of ["quiet0", "quiet1"]) {
    // Otherwise the kernel adds an IPv6 address a second later, and Chromium cancels the requests of the first page.
    ip("-n", name, "link", "set", device, "addrgenmode", "none");
    ip("-n", name, "link", "set", device, "up");
  }

  const socket = join(directory, "out");
  const outside = spawn(process.execPath, [FORWARD, socket, String(port)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const inside = spawn("ip", ["netns", "exec", name, process.execPath, FORWARD, String(port), socket], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await Promise.all([once(outside.stdout, "data"), once(inside.stdout, "data")]);

  const executable = join(directory, "chromium");
  writeFileSync(executable, `#!/bin/sh\nexec ip netns exec ${name} ${CHROMIUM} "$@"\n`, {
    mode: 0o755,
  });
  return {
    namespace: name,
    executable,
    remove: () => {
      for (const child of [inside, outside]) child.kill("SIGKILL");
      ip("netns", "del", name);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
