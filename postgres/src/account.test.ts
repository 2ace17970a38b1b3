import { afterEach, expect, it } from "vitest";
import { runAs } from "./account.ts";

const original = Object.getOwnPropertyDescriptor(process, "getuid") ?? {};
afterEach(() => void Object.defineProperty(process, "getuid", original));
const actAs = (uid: number) => Object.defineProperty(process, "getuid", { ...original, value: () => uid });

const account = { uid: 65_534, gid: 65_534 };

it("starts programs as another user only if the current user is root", () => {
  actAs(0);
  expect(runAs(account)).toMatchObject(account);
  actAs(account.uid);
  expect(runAs(account)).not.toHaveProperty("uid");
  expect(runAs(account)).not.toHaveProperty("gid");
});
