/** Each entry as a sentence: the actor, the action and the object. */
import type { AuditEventType } from "@lightkeeper/contract";
import { type Snapshots, snapshotsOf, textOf } from "../references/audit-snapshots.ts";
import {
  isActorItself,
  type AuditEntry,
  type AuditObject,
  type EntryDescriber,
  type Part,
} from "../references/audit-target.ts";
import { auditTargets } from "./audit-targets.ts";
import { describeChange } from "./change-description.ts";
import { nameParts } from "./name-parts.ts";

/** With its current name, or with its name at the time of the entry. */
function objectOf({ target, targetName }: AuditEntry, { known, before }: Snapshots): AuditObject {
  const { isSingleton = false, isNamedByID = false, nameField = "name", unnamed } = auditTargets[target.type];
  const nameThen = textOf(known[nameField]) ?? textOf(known.email) ?? textOf(before?.[nameField]);
  const isGone = targetName === null && !isSingleton;
  const ownName = isNamedByID ? target.id : nameThen;
  const name = targetName ?? ownName ?? target.id;
  return { ...target, name: name || (unnamed ?? target.id), isGone };
}

export function describeActor({ actor, actorName }: Pick<AuditEntry, "actor" | "actorName">): Part[] {
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

const changed: EntryDescriber = (entry, snapshots) => describeChange(snapshots, objectOf(entry, snapshots));

interface LoginTexts {
  succeeded: string;
  failed: string;
}

const LOGIN: LoginTexts = { succeeded: "logged in", failed: "failed to log in" };

const loginsByFactor: Readonly<Record<string, LoginTexts>> = {
  magicLink: { succeeded: "logged in by magic link", failed: "failed to log in by magic link" },
  totp: { succeeded: "logged in with the second factor", failed: "failed to log in with the second factor" },
  recoveryCode: {
    succeeded: "logged in with a recovery code",
    failed: "failed to log in with a recovery code",
  },
  sso: { succeeded: "signed in with single sign-on", failed: "failed to sign in with single sign-on" },
};

const describeLogin =
  (result: keyof LoginTexts): EntryDescriber =>
  (_entry, { known }) => {
    const reason = textOf(known.reason);
    const text = (loginsByFactor[textOf(known.factor) ?? ""] ?? LOGIN)[result];
    const unused = known.unusedRecoveryCodes;
    if (typeof unused === "number") return [`${text}, ${unused} left`];
    return [reason === undefined ? text : `${text}: ${reason}`];
  };

/** If the host itself is the actor, its name isn't repeated. */
const describeHostAction =
  (byItself: string, verb: string): EntryDescriber =>
  (entry, snapshots, objectParts) =>
    isActorItself(entry, snapshots) ? [byItself] : [verb, ...objectParts];

const describeWith =
  (verb: string): EntryDescriber =>
  (_entry, _snapshots, objectParts) => [verb, ...objectParts];

/** The entry names the person whose change was rejected, unless the server made the change itself. */
const describeRejection: EntryDescriber = ({ actor }, _snapshots, objectParts) =>
  actor.type === "system"
    ? ["rejected a change that breaks ", ...objectParts]
    : ["tried a change that was rejected, because it breaks ", ...objectParts];

const describeFinding =
  (finding: string): EntryDescriber =>
  (_entry, _snapshots, objectParts) => ["found that ", ...objectParts, finding];

const describers: Readonly<Record<AuditEventType, EntryDescriber>> = {
  CREATED: (entry, snapshots, objectParts) =>
    auditTargets[entry.target.type].created?.(entry, snapshots, objectParts) ?? ["added ", ...objectParts],
  UPDATED: (entry, snapshots, objectParts) =>
    auditTargets[entry.target.type].updated?.(entry, snapshots, objectParts) ??
    changed(entry, snapshots, objectParts),
  DELETED: (entry, snapshots, objectParts) =>
    auditTargets[entry.target.type].deleted?.(entry, snapshots, objectParts) ?? ["deleted ", ...objectParts],
  SET_OVERRIDES: changed,
  CREATED_TOTP: describeWith("added "),
  DELETED_TOTP: describeWith("deleted "),
  SUCCEEDED_AUTH: describeLogin("succeeded"),
  FAILED_AUTH: describeLogin("failed"),
  CREATED_LOGIN_LINK: describeWith("created a login link for "),
  CREATED_RECOVERY_CODES: () => ["generated new recovery codes"],
  ENROLLED: describeHostAction("enrolled", "enrolled "),
  RENEWED: describeHostAction("renewed its certificate", "renewed the certificate of "),
  CREATED_ENROLL_CODE: describeWith("created an enrollment code for "),
  SET_NETWORK_CA: (_entry, { before }, objectParts) =>
    before ? ["changed the signing CA of ", ...objectParts] : ["set the signing CA of ", ...objectParts],
  BLOCKED_HOST: describeWith("blocked "),
  UNBLOCKED_HOST: describeWith("unblocked "),
  REJECTED_CHANGE: describeRejection,
  STARTED_FAILING: describeFinding(" is failing"),
  STOPPED_FAILING: describeFinding(" is no longer failing"),
};

/** The action without the actor. */
export function describeAction(entry: AuditEntry): Part[] {
  const snapshots = snapshotsOf(entry);
  const objectParts = nameParts(objectOf(entry, snapshots));
  const parts = describers[entry.event.type](entry, snapshots, objectParts) ?? [];
  return parts.filter((part) => part !== "");
}

export const sentenceOf = (entry: AuditEntry): Part[] => [
  ...describeActor(entry),
  " ",
  ...describeAction(entry),
];
