/** The container image, built with Buildah in a storage of its own and run as a container engine would run it. */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../deploy-files.ts";
import { createBaseSystem } from "./base-system.ts";

/** The name that the Containerfile starts from. */
const BASE = "docker.io/library/debian:trixie-slim";

interface ImageConfig {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  Healthcheck: { Test: string[] };
  Volumes: Record<string, object>;
}

export interface Image {
  layers: string[];
  config: ImageConfig;
  bytes: number;
}

export interface ImageBuilder {
  /** Builds the image from the Containerfile and describes it. */
  build: () => Image;
  /** Unpacks the newest image and returns its root directory. */
  unpack: () => string;
  remove: () => void;
}

export function createImageBuilder(): ImageBuilder {
  const folder = mkdtempSync(join(tmpdir(), "lightkeeper-image-"));
  const storage = join(folder, "storage.conf");
  writeFileSync(
    storage,
    `[storage]\ndriver = "vfs"\ngraphroot = "${folder}/storage"\nrunroot = "${folder}/run"\n`,
  );
  const env = { ...process.env, CONTAINERS_STORAGE_CONF: storage, BUILDAH_ISOLATION: "chroot" };
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, {
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      maxBuffer: 2 ** 26,
    });
  const buildah = (...args: string[]) => run("buildah", ...args).trim();

  const base = buildah("from", "scratch");
  buildah("add", "--quiet", base, createBaseSystem(), "/");
  buildah("commit", "--quiet", "--rm", base, BASE);

  return {
    build: () => {
      // Podman or Docker may be installed too, but only Buildah knows the base image.
      const tag = "localhost/lightkeeper:latest";
      run(process.execPath, join(ROOT, "scripts/build-image.mjs"), "--tool", "buildah", "--tag", tag);
      const { Docker, OCIv1 } = JSON.parse(buildah("inspect", "--type", "image", tag)) as {
        Docker: { config: ImageConfig };
        OCIv1: { rootfs: { diff_ids: string[] } };
      };
      const images = JSON.parse(buildah("images", "--json", tag)) as { size: string }[];
      return {
        layers: OCIv1.rootfs.diff_ids,
        config: Docker.config,
        bytes: Number.parseFloat(images[0]!.size) * 1_000_000,
      };
    },
    unpack: () => {
      const container = buildah("from", "localhost/lightkeeper:latest");
      const root = buildah("mount", container);
      // A container engine creates these directories.
      for (const name of ["proc", "dev"]) mkdirSync(join(root, name));
      return root;
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** Mounts what a container has; everything but the volume and /tmp is read-only. */
const CONTAINER = `set -eu
root=$1 volume=$2 user=$3
shift 3
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/dev"
for device in null urandom; do mknod -m 666 "$root/dev/$device" c $(stat -c '0x%t 0x%T' "/dev/$device"); done
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount --bind "$volume" "$root/data"
mount -o remount,bind,ro "$root"
exec setpriv --no-new-privs chroot --userspec="$user" "$root" "$@"`;

interface ContainerOptions {
  root: string;
  volume: string;
  config: ImageConfig;
  environment: Record<string, string>;
  /** The command that replaces that of the image. */
  command?: readonly string[];
}

/** Starts a program of the image: without root, capabilities and new privileges. */
export function startContainer({ root, volume, config, environment, command }: ContainerOptions) {
  const args = command ?? [...config.Entrypoint, ...config.Cmd];
  const [name = "", ...rest] = args;
  const program = [`/usr/bin/${name}`, ...rest];
  const defaults = Object.fromEntries(
    config.Env.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
  const unshare = ["--mount", "--pid", "--fork", "--kill-child", "--ipc", "--uts"];
  const child = spawn(
    "/usr/bin/unshare",
    [...unshare, "/bin/sh", "-c", CONTAINER, "container", root, volume, config.User, ...program],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...defaults, PATH: "/usr/sbin:/usr/bin:/sbin:/bin", ...environment },
    },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const exited = new Promise<number | null>((done) => child.once("exit", done));
  return { child, exited, output: () => output };
}
