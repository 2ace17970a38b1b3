/** Where PostgreSQL can't run, and as which user it runs. */
import { appendFile, chmod, chown, lstat, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  stopProgram,
  installProgram,
  postmasterPid,
  query,
  removeLinks,
  removeTemporaryDirectories,
  start,
  startProgram,
  stopStarted,
  temporaryDirectory,
} from "./testing.ts";

const isRoot = process.getuid?.() === 0;
const NOBODY = { uid: 65534, gid: 65534 };
let program: string;

beforeAll(async () => {
  program = await installProgram(await temporaryDirectory());
});
afterEach(stopStarted);
afterAll(removeTemporaryDirectories);

describe("error messages", () => {
  it("name the unsupported platform and DATABASE_URL", async () => {
    const arch = Object.getOwnPropertyDescriptor(process, "arch") ?? {};
    Object.defineProperty(process, "arch", { ...arch, value: "mips" });
    try {
      await expect(start(await temporaryDirectory())).rejects.toThrow(
        new RegExp(`for ${process.platform}-mips\\. Set DATABASE_URL`),
      );
    } finally {
      Object.defineProperty(process, "arch", arch);
    }
  });

  it("name the problem with the data: another major version, an invalid setting, other files, a broken link", async () => {
    const dataDir = await temporaryDirectory();
    const postgres = await start(dataDir);
    await postgres.stop();

    await appendFile(join(postgres.dataDirectory, "postgresql.conf"), "work_mem = 'plenty'\n");
    await expect(start(dataDir)).rejects.toThrow(/doesn't respond[^]*invalid value for parameter "work_mem"/);

    await writeFile(join(postgres.dataDirectory, "PG_VERSION"), "9\n");
    await expect(start(dataDir)).rejects.toThrow(
      /created by PostgreSQL 9, but this release has PostgreSQL 18/,
    );

    await rm(join(postgres.dataDirectory, "PG_VERSION"));
    await expect(start(dataDir)).rejects.toThrow("isn't a PostgreSQL data directory");

    await rm(postgres.dataDirectory, { recursive: true });
    await symlink(join(dataDir, "nowhere"), join(dataDir, "postgres"));
    await expect(start(dataDir)).rejects.toThrow(
      `points to ${join(dataDir, "nowhere")}, which doesn't exist`,
    );
  });
});

describe.runIf(isRoot)("users", () => {
  it("runs as an ordinary user, with copied programs if their package is read-only", async () => {
    await removeLinks(program);
    const dataDir = await temporaryDirectory();
    const rejected = startProgram(program, join(dataDir, "closed"), NOBODY);
    expect((await rejected.result).error).toContain(`Can't write to ${join(dataDir, "closed")}`);

    await chown(dataDir, NOBODY.uid, NOBODY.gid);
    const { child, result } = startProgram(program, dataDir, NOBODY);
    const { connectionString, dataDirectory } = await result;
    expect(await query(connectionString, "select 1 as one")).toEqual([{ one: 1 }]);
    expect((await readdir(dataDir)).some((name) => /^postgres-\d/.test(name))).toBe(true);
    await stopProgram(child);

    const { dataDirectory: asRoot } = await start(dataDir);
    expect(asRoot).toBe(dataDirectory);
    expect(await postmasterOwner(asRoot)).toBe(NOBODY.uid);
  });

  it("never runs as root, and uses the system directory if root starts it in a private directory", async () => {
    const home = dirname(program);
    await chmod(home, 0o700);
    const dataDir = join(home, "data");
    const systemDirectory = "/var/lib/lightkeeper";
    const before = await readdir(systemDirectory).catch((): string[] => []);
    const { child, result } = startProgram(program, dataDir);
    const { connectionString, dataDirectory } = await result;
    expect(dirname(dirname(dataDirectory))).toBe(systemDirectory);
    try {
      expect(await postmasterOwner(dataDirectory)).toBeGreaterThan(0);
      await query(connectionString, "create table kept as select 42 as result");
      await stopProgram(child);

      expect((await lstat(join(dataDir, "postgres"))).isSymbolicLink()).toBe(true);
      await chmod(home, 0o755);
      const again = await start(dataDir);
      expect(again.dataDirectory).toBe(dataDirectory);
      expect(await query(again.connectionString, "select result from kept")).toEqual([{ result: 42 }]);
      await again.stop();
    } finally {
      await rm(dirname(dataDirectory), { recursive: true });
      const left = await readdir(systemDirectory);
      const isOnlyOurs = before.length === 0 && left.every((name) => name.startsWith("postgres-"));
      if (isOnlyOurs) await rm(systemDirectory, { recursive: true });
    }
  });
});

async function postmasterOwner(dataDirectory: string): Promise<number> {
  return (await stat(`/proc/${await postmasterPid(dataDirectory)}`)).uid;
}
