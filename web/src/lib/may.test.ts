import {
  contactSupport,
  createHostV2,
  type Endpoint,
  inviteMember,
  listHostsV2,
  revokeSession,
} from "@lightkeeper/contract";
import { expect, it } from "vitest";
import { auditor, oidcUser, user } from "../testing/samples.ts";
import type { Person } from "./current-user.ts";
import { may, mayWrite } from "./may.ts";

const administrator: Person = { ...user, actor: { ...user.actor, role: "administrator" } };
const calls: readonly Endpoint[] = [listHostsV2, contactSupport, revokeSession, createHostV2, inviteMember];

it.each([
  ["an owner", user, [true, true, true, true, true], true],
  ["an administrator", administrator, [true, true, true, true, false], true],
  ["somebody by single sign-on", oidcUser as Person, [true, true, false, true, false], true],
  ["an auditor", auditor, [true, true, true, false, false], false],
  ["somebody who is not known yet", undefined, [true, true, true, true, true], true],
])("offers %s what the contract allows", (_, person, allowed, writes) => {
  expect(calls.map((call) => may(person, call))).toEqual(allowed);
  expect(mayWrite(person)).toBe(writes);
});
