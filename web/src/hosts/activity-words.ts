import type { AuditActor, AuditEventType, AuditLog } from "@lightkeeper/contract";

export function actorWords(actor: AuditActor): string {
  switch (actor.type) {
    case "user":
    case "oidcUser":
      return actor.email;
    case "apiKey":
      return `API key ${actor.name ?? actor.id}`;
    case "host":
      return actor.name ?? actor.id;
    case "support":
      return "Support";
    case "system":
      return "Lightkeeper";
  }
}

const events: Readonly<Partial<Record<AuditEventType, string>>> = {
  CREATED: "added this host",
  UPDATED: "changed it",
  DELETED: "deleted it",
  ENROLLED: "enrolled",
  RENEWED: "got a new certificate",
  CREATED_ENROLL_CODE: "made an enrollment code",
  BLOCKED_HOST: "blocked it",
  UNBLOCKED_HOST: "unblocked it",
  SET_OVERRIDES: "set its overrides",
};

export const eventWords = (type: AuditEventType): string =>
  events[type] ?? type.toLowerCase().replaceAll("_", " ");

const properties: Readonly<Record<string, string>> = {
  name: "Name",
  networkID: "Network",
  roleID: "Role",
  ipAddresses: "Addresses",
  staticAddresses: "Static addresses",
  listenPort: "Listen port",
  isBlocked: "Blocked",
  tags: "Tags",
  configOverrides: "Overrides",
};

export interface ChangedProperty {
  name: string;
  before: string;
  after: string;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function valueWords(value: unknown, nameOf: (id: string) => string | undefined): string {
  if (value === null || value === undefined || value === "") return "none";
  if (typeof value === "string") return nameOf(value) ?? value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return String(value);
  if (!Array.isArray(value)) return JSON.stringify(value);
  if (value.length === 0) return "none";
  return value.map((one) => (isRecord(one) ? overrideWords(one) : String(one))).join(", ");
}

const overrideWords = (one: Readonly<Record<string, unknown>>) =>
  "key" in one ? `${String(one.key)} = ${JSON.stringify(one.value)}` : JSON.stringify(one);

/** What differs between before and after; of something new or gone, nothing: that says the event. */
export function changedProperties(
  { event: { before, after } }: Pick<AuditLog, "event">,
  nameOf: (id: string) => string | undefined,
): ChangedProperty[] {
  if (!isRecord(before) || !isRecord(after)) return [];
  return Object.keys({ ...before, ...after })
    .filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
    .map((key) => ({
      name: properties[key] ?? key,
      before: valueWords(before[key], nameOf),
      after: valueWords(after[key], nameOf),
    }));
}
