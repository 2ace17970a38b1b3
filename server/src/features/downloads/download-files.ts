/** The agent builds in their directory, read again at every call, so that a new build needs no restart. */
import { createHash } from "node:crypto";
import { createReadStream, type ReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Downloads } from "@lightkeeper/contract";
import { readExecutablesBuild } from "./executables-build.ts";
import { pipeline } from "node:stream/promises";
import { type NamedFile, parseFileName } from "./file-names.ts";

export interface DownloadFile extends NamedFile {
  path: string;
  size: number;
  modifiedAt: Date;
}

export interface DownloadFiles {
  list(): Promise<DownloadFile[]>;
  find(name: string): Promise<DownloadFile | undefined>;
  /** SHA-256 in hexadecimal, cached until the file changes. */
  digest(file: DownloadFile): Promise<string>;
  read(file: DownloadFile): ReadStream;
  build(): Promise<Downloads["build"]>;
}

const isMissing = (error: NodeJS.ErrnoException) => error.code === "ENOENT" || error.code === "ENOTDIR";

async function unlessMissing<T>(work: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error as NodeJS.ErrnoException)) return otherwise;
    throw error;
  }
}

async function listFiles(directory: string): Promise<DownloadFile[]> {
  const entries = await unlessMissing(readdir(directory, { withFileTypes: true }), []);
  const parsed = entries.flatMap((entry) => (entry.isFile() ? (parseFileName(entry.name) ?? []) : []));
  const files = await Promise.all(
    parsed.map(async (file) => {
      const path = join(directory, file.name);
      const stats = await unlessMissing(stat(path), undefined);
      return stats && { ...file, path, size: stats.size, modifiedAt: stats.mtime };
    }),
  );
  // An empty file is still being built.
  return files.filter((file) => file !== undefined).filter(({ size }) => size > 0);
}

// Reads no more than the announced length if the file grows in the meantime.
const read = ({ path, size }: DownloadFile) => createReadStream(path, { end: size - 1 });

async function computeDigest(file: DownloadFile): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(read(file), hash);
  return hash.digest("hex");
}

export function createDownloadFiles(directory: string | undefined): DownloadFiles {
  const digests = new Map<string, { state: string; digest: Promise<string> }>();
  const list = async () => (directory === undefined ? [] : listFiles(directory));
  return {
    list,
    find: async (name) => (await list()).find((file) => file.name === name),
    digest: (file) => {
      const state = `${file.modifiedAt.getTime()} ${file.size}`;
      const known = digests.get(file.name);
      if (known?.state === state) return known.digest;
      const digest = computeDigest(file);
      digests.set(file.name, { state, digest });
      digest.catch(() => digests.delete(file.name));
      return digest;
    },
    read,
    build: async () => (directory === undefined ? undefined : readExecutablesBuild(directory)),
  };
}
