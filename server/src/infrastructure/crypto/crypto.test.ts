import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError } from "../config/config.ts";
import { base32, newId } from "./ids.ts";
import { createSecretBox } from "./secret-box.ts";
import { loadSecretKey } from "./secret-key.ts";
import { hashToken, newToken, areHashesEqual } from "./tokens.ts";

describe("an ID", () => {
  it("is its prefix and 26 characters of A to Z and 2 to 7", () => {
    for (const prefix of ["org", "user", "network", "role", "ca", "log", "totp", "session"] as const)
      expect(newId(prefix)).toMatch(new RegExp(`^${prefix}-[A-Z2-7]{26}$`));
    expect(new Set(Array.from({ length: 1000 }, () => newId("log"))).size).toBe(1000);
  });

  it("is written in base32 of RFC 4648", () => {
    const vectors = {
      "": "",
      f: "MY",
      fo: "MZXQ",
      foo: "MZXW6",
      foob: "MZXW6YQ",
      fooba: "MZXW6YTB",
      foobar: "MZXW6YTBOI",
    };
    for (const [plain, encoded] of Object.entries(vectors)) expect(base32(Buffer.from(plain))).toBe(encoded);
    expect(base32(new Uint8Array(16).fill(255))).toBe(`${"7".repeat(25)}4`);
  });
});

describe("a token", () => {
  it("is 32 random bytes, and its hash identifies it", () => {
    const [one, other] = [newToken(), newToken()];
    expect(Buffer.from(one, "base64url")).toHaveLength(32);
    expect(areHashesEqual(hashToken(one), hashToken(one))).toBe(true);
    expect(areHashesEqual(hashToken(one), hashToken(other))).toBe(false);
    expect(areHashesEqual(hashToken(one), hashToken(one).subarray(1))).toBe(false);
  });
});

describe("the secret box", () => {
  const place = { table: "totp_authenticators", column: "secret", id: "totp-A" };
  const box = createSecretBox(Buffer.alloc(32, 1));
  const plain = Buffer.from("the secret");

  it("decrypts what it encrypted, and never encrypts the same way twice", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const sealed = box.seal(bytes, place);
        expect(box.open(sealed, place)).toEqual(Buffer.from(bytes));
        expect(sealed.equals(box.seal(bytes, place))).toBe(false);
      }),
    );
    expect(box.seal(plain, place).includes(plain)).toBe(false);
  });

  it.each([
    ["table", { ...place, table: "totp_setups" }],
    ["column", { ...place, column: "name" }],
    ["row", { ...place, id: "totp-B" }],
    ["delimiter in a name", { table: 'totp_authenticators","secret', column: "", id: "totp-A" }],
  ])("does not decrypt a value in another place: %s", (_what, otherPlace) => {
    expect(() => box.open(box.seal(plain, place), otherPlace)).toThrow();
  });

  it("does not decrypt with another key, and explains why", () => {
    const other = createSecretBox(Buffer.alloc(32, 2));
    expect(() => other.open(box.seal(plain, place), place)).toThrow(
      "This value was encrypted with a different SECRET_KEY",
    );
  });

  it("does not decrypt if any byte was changed or removed", () => {
    const sealed = box.seal(plain, place);
    for (let index = 0; index < sealed.length; index++) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      expect(() => box.open(changed, place)).toThrow();
      expect(() => box.open(sealed.subarray(0, index), place)).toThrow();
    }
  });
});

describe("the secret key", () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), "lightkeeper-key-"));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));
  const file = () => join(dataDir, "secret.key");

  it("is the configured key, and none is generated", () => {
    const secretKey = Buffer.alloc(32, 3);
    expect(loadSecretKey({ secretKey, dataDir })).toBe(secretKey);
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it("is generated once, readable only by its owner", () => {
    const generated = loadSecretKey({ secretKey: undefined, dataDir });
    expect(generated).toHaveLength(32);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(readFileSync(file(), "utf8")).toBe(`${generated.toString("base64")}\n`);
    expect(loadSecretKey({ secretKey: undefined, dataDir })).toEqual(generated);
    expect(readdirSync(dataDir)).toEqual(["secret.key"]);
  });

  it("is the same for processes that start concurrently", async () => {
    const program = join(dataDir, "program.cjs");
    const contents = `import { loadSecretKey } from "./secret-key.ts";
      console.log(loadSecretKey({ dataDir: process.argv[2] }).toString("base64"));`;
    await build({
      stdin: { contents, resolveDir: import.meta.dirname },
      outfile: program,
      bundle: true,
      platform: "node",
      logLevel: "error",
    });
    const keys = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const { stdout } = await promisify(execFile)(process.execPath, [program, join(dataDir, "shared")]);
        return stdout;
      }),
    );
    expect(new Set(keys).size).toBe(1);
    expect(readdirSync(join(dataDir, "shared"))).toEqual(["secret.key"]);
  });

  it("prevents the start if it is damaged, and isn't replaced", () => {
    writeFileSync(file(), "damaged", { mode: 0o600 });
    const load = () => loadSecretKey({ secretKey: undefined, dataDir });
    expect(load).toThrow(ConfigError);
    expect(load).toThrow("must contain 32 bytes");
    expect(readFileSync(file(), "utf8")).toBe("damaged");
  });
});
