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
import { canCall, canWrite } from "./permissions.ts";

const administrator: Person = { ...user, actor: { ...user.actor, role: "administrator" } };
const calls: readonly Endpoint[] = [listHostsV2, contactSupport, revokeSession, createHostV2, inviteMember];

it.each([
  ["an owner", user, [true, true, true, true, true], true],
  ["an administrator", administrator, [true, true, true, true, false], true],
  ["someone who signed in with single sign-on", oidcUser as Person, [true, true, false, true, false], true],
  ["an auditor", auditor, [true, true, true, false, false], false],
  ["someone whose account is still loading", undefined, [true, true, true, true, true], true],
])("allows %s the calls that the contract allows", (_, person, expectedCalls, expectedWrite) => {
  expect(calls.map((call) => canCall(person, call))).toEqual(expectedCalls);
  expect(canWrite(person)).toBe(expectedWrite);
});
