/** Each entry as a sentence: who, what, and of which thing. */
import type { AuditActor, AuditEventType, AuditLog, AuditTargetType } from "@lightkeeper/contract";
import { changeWords } from "./change-words.ts";
import { isSingle, naming, type Part, type Thing } from "./parts.ts";
import { isRecord, type Snapshots, snapshotsOf, textOf } from "./snapshots.ts";

type Entry = Pick<AuditLog, "actor" | "target" | "event" | "targetName" | "actorName">;

/** As it is called now, else as it was called then. */
function thingOf({ target, targetName }: Entry, { known, before }: Snapshots): Thing {
  const then = textOf(known.name) ?? textOf(known.email) ?? textOf(before?.name);
  const isGone = targetName === null && !isSingle(target.type);
  const ownName = target.type === "tag" || target.type === "domain" ? target.id : undefined;
  return { ...target, name: targetName ?? ownName ?? then ?? target.id, isGone };
}

export function actorWords({ actor, actorName }: Pick<Entry, "actor" | "actorName">): Part[] {
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
        { thing: { type, id, name: actorName ?? name ?? id, isGone } },
      ];
    }
    case "support":
      return [{ strong: "Support" }];
    case "system":
      return [{ strong: "Lightkeeper" }];
  }
}

const isHimself = ({ actor, target }: Entry, { known }: Snapshots) =>
  ("id" in actor && actor.id === target.id) || ("email" in actor && actor.email === textOf(known.email));

/** Only a user can remove another member, so a person who came by single sign-on is the one who left. */
const isOwnMembership = ({ actor, target }: Entry) =>
  actor.type === "oidcUser" || (actor.type === "user" && actor.id === target.id);

type Told = (entry: Entry, snapshots: Snapshots, named: Part[]) => Part[] | undefined;

const changed: Told = (entry, snapshots) => changeWords(snapshots, thingOf(entry, snapshots));

const userCreated: Told = (entry, snapshots, named) => {
  const role = textOf(snapshots.known.role);
  const as = role === undefined ? "" : ` as ${role}`;
  if (isHimself(entry, snapshots)) return [`joined${as}`];
  return ["invited ", ...named, as];
};

const userUpdated: Told = (_entry, { before, after }, named) => {
  if (before?.removed === true && after?.removed === false) return ["readmitted ", ...named];
  const role = textOf(after?.role);
  return role !== undefined && before?.role !== role ? ["made ", ...named, ` ${role}`] : undefined;
};

const networkUpdated: Told = (_entry, { after }, named) => {
  if (!isRecord(after?.rotation)) return undefined;
  const what = "the replacement of the certificate authority of ";
  return [after.rotation.isForced === true ? `forced ${what}` : `began ${what}`, ...named];
};

const caUpdated: Told = (_entry, { after }, named) => {
  switch (after?.state) {
    case "SIGNING":
      return ["made ", ...named, " the one that signs"];
    case "TRUSTED":
      return ["stopped signing with ", ...named];
    case "RETIRED":
      return ["stopped trusting ", ...named];
    default:
      return undefined;
  }
};

const hostUpdated: Told = (_entry, { after }, named) =>
  Array.isArray(after?.revokedCertificates) ? ["revoked a certificate of ", ...named] : undefined;

const keyUpdated: Told = (_entry, { after }, named) =>
  after?.rotated === true ? ["replaced the token of ", ...named] : undefined;

/** Features, and the plan: of the organization itself or as its billing says it. */
const standingUpdated: Told = (_entry, { before, after }) => {
  const plan = textOf(after?.plan);
  if (plan !== undefined && plan !== before?.plan) return ["changed the plan to ", { strong: plan }];
  const [feature, ...others] = Object.entries(isRecord(after?.featureFlags) ? after.featureFlags : {});
  if (!feature || others.length > 0) return undefined;
  return ["turned the feature ", { strong: feature[0] }, feature[1] === true ? " on" : " off"];
};

const updated: Readonly<Partial<Record<AuditTargetType, Told>>> = {
  user: userUpdated,
  network: networkUpdated,
  ca: caUpdated,
  host: hostUpdated,
  apiKey: keyUpdated,
  billing: standingUpdated,
  organization: standingUpdated,
  domain: (_entry, { after }, named) => (after?.isVerified === true ? ["verified ", ...named] : undefined),
  deviceRequest: (_entry, _snapshots, named) => ["approved ", ...named],
};

const created: Readonly<Partial<Record<AuditTargetType, Told>>> = {
  user: userCreated,
  deviceRequest: () => ["asked for approval of a device"],
  organization: () => ["made the organization"],
  oidcProvider: (_entry, _snapshots, named) => ["set up ", ...named],
  host: (_entry, { known }, named) => {
    const networkID = textOf(known.networkID);
    const network: Part[] =
      networkID === undefined ? [] : [" to network ", { thing: { type: "network", id: networkID } }];
    return ["added ", ...named, ...network];
  },
};

const deleted: Readonly<Partial<Record<AuditTargetType, Told>>> = {
  user: (entry, { before }, named) => {
    if (isOwnMembership(entry))
      return [before?.invited === true ? "declined the invitation" : "left the organization"];
    return before?.invited === true ? ["withdrew the invitation of ", ...named] : ["removed ", ...named];
  },
  oidcProvider: (_entry, _snapshots, named) => ["took away ", ...named],
  domain: (_entry, _snapshots, named) => ["removed ", ...named],
  deviceRequest: (_entry, _snapshots, named) => ["rejected ", ...named],
};

const factors: Readonly<Record<string, string>> = {
  magicLink: " by magic link",
  totp: " with the second factor",
  sso: " by single sign-on",
};

const signingIn =
  (words: string): Told =>
  (_entry, { known }) => {
    const reason = textOf(known.reason);
    return [
      words + (factors[textOf(known.factor) ?? ""] ?? "") + (reason === undefined ? "" : `: ${reason}`),
    ];
  };

/** Of a host that speaks for itself the same is said without naming it twice. */
const ofHost =
  (alone: string, before: string, after = ""): Told =>
  (entry, snapshots, named) =>
    isHimself(entry, snapshots) ? [alone] : [before, ...named, after];

const plainly =
  (before: string, after = ""): Told =>
  (_entry, _snapshots, named) => [before, ...named, after];

const told: Readonly<Record<AuditEventType, Told>> = {
  CREATED: (entry, snapshots, named) =>
    created[entry.target.type]?.(entry, snapshots, named) ?? ["added ", ...named],
  UPDATED: (entry, snapshots, named) =>
    updated[entry.target.type]?.(entry, snapshots, named) ?? changed(entry, snapshots, named),
  DELETED: (entry, snapshots, named) =>
    deleted[entry.target.type]?.(entry, snapshots, named) ?? ["deleted ", ...named],
  SET_OVERRIDES: changed,
  CREATED_TOTP: plainly("added "),
  DELETED_TOTP: plainly("deleted "),
  SUCCEEDED_AUTH: signingIn("signed in"),
  FAILED_AUTH: signingIn("failed to sign in"),
  ENROLLED: ofHost("enrolled", "enrolled "),
  RENEWED: ofHost("got a new certificate", "renewed the certificate of "),
  CREATED_ENROLL_CODE: plainly("made an enrollment code for "),
  SET_NETWORK_CA: (_entry, { before }, named) =>
    before
      ? ["changed the certificate authority that signs for ", ...named]
      : ["gave ", ...named, " its certificate authority"],
  BLOCKED_HOST: plainly("blocked "),
  UNBLOCKED_HOST: plainly("unblocked "),
};

/** What was done, without who did it. */
export function actionWords(entry: Entry): Part[] {
  const snapshots = snapshotsOf(entry);
  const named = naming(thingOf(entry, snapshots));
  const words = told[entry.event.type](entry, snapshots, named) ?? [];
  return words.filter((part) => part !== "");
}

export const sentenceOf = (entry: Entry): Part[] => [...actorWords(entry), " ", ...actionWords(entry)];

/** For whoever filters by them. */
export const eventNames: Readonly<Record<AuditEventType, string>> = {
  CREATED: "Added",
  UPDATED: "Changed",
  DELETED: "Deleted",
  CREATED_TOTP: "Added an authenticator",
  DELETED_TOTP: "Deleted an authenticator",
  SUCCEEDED_AUTH: "Signed in",
  FAILED_AUTH: "Failed to sign in",
  ENROLLED: "Enrolled",
  RENEWED: "Renewed a certificate",
  CREATED_ENROLL_CODE: "Made an enrollment code",
  SET_NETWORK_CA: "Changed a network's authority",
  BLOCKED_HOST: "Blocked a host",
  UNBLOCKED_HOST: "Unblocked a host",
  SET_OVERRIDES: "Changed a host's settings",
};

export const targetNames: Readonly<Record<AuditTargetType, string>> = {
  apiKey: "API keys",
  ca: "Certificate authorities",
  host: "Hosts",
  network: "Networks",
  oidcProvider: "Single sign-on",
  role: "Roles",
  user: "People",
  route: "Routes",
  tag: "Tags",
  totp: "Authenticators",
  billing: "Billing",
  organization: "Organization",
  domain: "Domains",
  deviceRequest: "Device requests",
};

export const actorKindNames: Readonly<Record<Exclude<AuditActor["type"], "user" | "oidcUser">, string>> = {
  apiKey: "API keys",
  host: "Hosts",
  system: "Lightkeeper itself",
  support: "Support",
};
