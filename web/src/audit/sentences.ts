/** Each entry as a sentence: the actor, the action and the object. */
import type { AuditEventType, AuditLog, AuditTargetType } from "@lightkeeper/contract";
import { describeChange } from "./change-description.ts";
import { isSingleton, nameParts, type Part, type AuditObject } from "./parts.ts";
import { isRecord, type Snapshots, snapshotsOf, textOf } from "./snapshots.ts";

type Entry = Pick<AuditLog, "actor" | "target" | "event" | "targetName" | "actorName">;

/** With its current name, or with its name at the time of the entry. */
function objectOf({ target, targetName }: Entry, { known, before }: Snapshots): AuditObject {
  const nameThen = textOf(known.name) ?? textOf(known.email) ?? textOf(before?.name);
  const isGone = targetName === null && !isSingleton(target.type);
  const ownName = target.type === "tag" || target.type === "domain" ? target.id : undefined;
  return { ...target, name: targetName ?? ownName ?? nameThen ?? target.id, isGone };
}

export function describeActor({ actor, actorName }: Pick<Entry, "actor" | "actorName">): Part[] {
  const isGone = actorName === null;
  switch (actor.type) {
    case "user":
    case "oidcUser":
      return [{ strong: actor.email }];
    case "apiKey":
    case "host": {
      const { type, id, name } = actor;
      return [
        type === "host" ? "Host " : "API key ",
        { object: { type, id, name: actorName ?? name ?? id, isGone } },
      ];
    }
    case "support":
      return [{ strong: "Support" }];
    case "system":
      return [{ strong: "Lightkeeper" }];
  }
}

const isActorItself = ({ actor, target }: Entry, { known }: Snapshots) =>
  ("id" in actor && actor.id === target.id) || ("email" in actor && actor.email === textOf(known.email));

/** Single sign-on users can't remove other members, so they must have left themselves. */
const isOwnMembership = ({ actor, target }: Entry) =>
  actor.type === "oidcUser" || (actor.type === "user" && actor.id === target.id);

type Describer = (entry: Entry, snapshots: Snapshots, objectParts: Part[]) => Part[] | undefined;

const changed: Describer = (entry, snapshots) => describeChange(snapshots, objectOf(entry, snapshots));

const userCreated: Describer = (entry, snapshots, objectParts) => {
  const role = textOf(snapshots.known.role);
  const as = role === undefined ? "" : ` as ${role}`;
  if (isActorItself(entry, snapshots)) return [`joined${as}`];
  return ["invited ", ...objectParts, as];
};

const userUpdated: Describer = (_entry, { before, after }, objectParts) => {
  if (before?.removed === true && after?.removed === false) return ["readmitted ", ...objectParts];
  const role = textOf(after?.role);
  return role !== undefined && before?.role !== role
    ? ["changed the role of ", ...objectParts, ` to ${role}`]
    : undefined;
};

const networkUpdated: Describer = (_entry, { after }, objectParts) => {
  if (!isRecord(after?.rotation)) return undefined;
  const isForced = after.rotation.isForced === true;
  return [isForced ? "forced the CA rotation of " : "started rotating the CA of ", ...objectParts];
};

const caUpdated: Describer = (_entry, { after }, objectParts) => {
  switch (after?.state) {
    case "SIGNING":
      return ["made ", ...objectParts, " the signing CA"];
    case "TRUSTED":
      return ["stopped signing with ", ...objectParts];
    case "RETIRED":
      return ["stopped trusting ", ...objectParts];
    default:
      return undefined;
  }
};

const hostUpdated: Describer = (_entry, { after }, objectParts) =>
  Array.isArray(after?.revokedCertificates) ? ["revoked a certificate of ", ...objectParts] : undefined;

const keyUpdated: Describer = (_entry, { after }, objectParts) =>
  after?.rotated === true ? ["replaced the token of ", ...objectParts] : undefined;

/** The plan and the feature flags, which are recorded for the organization or its billing. */
const planUpdated: Describer = (_entry, { before, after }) => {
  const plan = textOf(after?.plan);
  if (plan !== undefined && plan !== before?.plan) return ["changed the plan to ", { strong: plan }];
  const [feature, ...others] = Object.entries(isRecord(after?.featureFlags) ? after.featureFlags : {});
  if (!feature || others.length > 0) return undefined;
  return ["turned the feature ", { strong: feature[0] }, feature[1] === true ? " on" : " off"];
};

const updated: Readonly<Partial<Record<AuditTargetType, Describer>>> = {
  user: userUpdated,
  network: networkUpdated,
  ca: caUpdated,
  host: hostUpdated,
  apiKey: keyUpdated,
  billing: planUpdated,
  organization: planUpdated,
  domain: (_entry, { after }, objectParts) =>
    after?.isVerified === true ? ["verified ", ...objectParts] : undefined,
  deviceRequest: (_entry, _snapshots, objectParts) => ["approved ", ...objectParts],
};

const created: Readonly<Partial<Record<AuditTargetType, Describer>>> = {
  user: userCreated,
  deviceRequest: () => ["requested approval of a device"],
  organization: () => ["created the organization"],
  oidcProvider: (_entry, _snapshots, objectParts) => ["set up ", ...objectParts],
  host: (_entry, { known }, objectParts) => {
    const networkID = textOf(known.networkID);
    const network: Part[] =
      networkID === undefined ? [] : [" to network ", { object: { type: "network", id: networkID } }];
    return ["added ", ...objectParts, ...network];
  },
};

const deleted: Readonly<Partial<Record<AuditTargetType, Describer>>> = {
  user: (entry, { before }, objectParts) => {
    if (isOwnMembership(entry))
      return [before?.invited === true ? "declined the invitation" : "left the organization"];
    return before?.invited === true
      ? ["withdrew the invitation of ", ...objectParts]
      : ["removed ", ...objectParts];
  },
  oidcProvider: (_entry, _snapshots, objectParts) => ["removed ", ...objectParts],
  domain: (_entry, _snapshots, objectParts) => ["removed ", ...objectParts],
  deviceRequest: (_entry, _snapshots, objectParts) => ["rejected ", ...objectParts],
};

interface LoginTexts {
  succeeded: string;
  failed: string;
}

const LOGIN: LoginTexts = { succeeded: "logged in", failed: "failed to log in" };

const loginsByFactor: Readonly<Record<string, LoginTexts>> = {
  magicLink: { succeeded: "logged in by magic link", failed: "failed to log in by magic link" },
  totp: { succeeded: "logged in with the second factor", failed: "failed to log in with the second factor" },
  sso: { succeeded: "signed in with single sign-on", failed: "failed to sign in with single sign-on" },
};

const describeLogin =
  (result: keyof LoginTexts): Describer =>
  (_entry, { known }) => {
    const reason = textOf(known.reason);
    const text = (loginsByFactor[textOf(known.factor) ?? ""] ?? LOGIN)[result];
    return [reason === undefined ? text : `${text}: ${reason}`];
  };

/** If the host itself is the actor, its name isn't repeated. */
const describeHostAction =
  (byItself: string, verb: string): Describer =>
  (entry, snapshots, objectParts) =>
    isActorItself(entry, snapshots) ? [byItself] : [verb, ...objectParts];

const describeWith =
  (verb: string): Describer =>
  (_entry, _snapshots, objectParts) => [verb, ...objectParts];

const describers: Readonly<Record<AuditEventType, Describer>> = {
  CREATED: (entry, snapshots, objectParts) =>
    created[entry.target.type]?.(entry, snapshots, objectParts) ?? ["added ", ...objectParts],
  UPDATED: (entry, snapshots, objectParts) =>
    updated[entry.target.type]?.(entry, snapshots, objectParts) ?? changed(entry, snapshots, objectParts),
  DELETED: (entry, snapshots, objectParts) =>
    deleted[entry.target.type]?.(entry, snapshots, objectParts) ?? ["deleted ", ...objectParts],
  SET_OVERRIDES: changed,
  CREATED_TOTP: describeWith("added "),
  DELETED_TOTP: describeWith("deleted "),
  SUCCEEDED_AUTH: describeLogin("succeeded"),
  FAILED_AUTH: describeLogin("failed"),
  ENROLLED: describeHostAction("enrolled", "enrolled "),
  RENEWED: describeHostAction("renewed its certificate", "renewed the certificate of "),
  CREATED_ENROLL_CODE: describeWith("created an enrollment code for "),
  SET_NETWORK_CA: (_entry, { before }, objectParts) =>
    before ? ["changed the signing CA of ", ...objectParts] : ["set the signing CA of ", ...objectParts],
  BLOCKED_HOST: describeWith("blocked "),
  UNBLOCKED_HOST: describeWith("unblocked "),
};

/** The action without the actor. */
export function describeAction(entry: Entry): Part[] {
  const snapshots = snapshotsOf(entry);
  const objectParts = nameParts(objectOf(entry, snapshots));
  const parts = describers[entry.event.type](entry, snapshots, objectParts) ?? [];
  return parts.filter((part) => part !== "");
}

export const sentenceOf = (entry: Entry): Part[] => [...describeActor(entry), " ", ...describeAction(entry)];
