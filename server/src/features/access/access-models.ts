/** Keeps the models of organizations in memory, and updates them with what has changed in the database. */
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Context } from "../../infrastructure/context/context.ts";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import { SECOND_MS } from "../../infrastructure/time/durations.ts";
import {
  type ChangedKey,
  type ChangesSince,
  type ObjectChanges,
  hasGuarantees,
  readChangesSince,
  readHostStates,
  readStateWithoutHosts,
} from "./access-state.queries.ts";
import { createModelCache } from "./model-cache.ts";
import {
  addObjects,
  applyChanges,
  createModel,
  type OrganizationModel,
  updateTime,
} from "./organization-model.ts";

export interface ChangedIDs {
  readonly hostIDs: ReadonlySet<string>;
  readonly roleIDs: ReadonlySet<string>;
  readonly tags: ReadonlySet<string>;
  readonly routeIDs: ReadonlySet<string>;
}

/** The organization before and after the changes of a transaction that is still running. */
export interface UncommittedModel {
  readonly before: OrganizationModel;
  readonly after: OrganizationModel;
  readonly changed: ChangedIDs;
}

export interface CommittedModel extends OrganizationModel {
  /** The revision of each network. */
  readonly revisions: Readonly<Record<string, number>>;
}

export interface AccessModels {
  /** May be true although the last guarantee was deleted. */
  mayHaveGuarantees(tx: Writer, organizationID: string): Promise<boolean>;
  read(organizationID: string): Promise<CommittedModel>;
  readUncommitted(tx: Writer, organizationID: string): Promise<UncommittedModel>;
  /** Like `readUncommitted`, but undefined if the committed state can't be read in this time. */
  readUncommittedWithin(
    ms: number,
    tx: Writer,
    organizationID: string,
  ): Promise<UncommittedModel | undefined>;
}

const keysOf = (kind: ChangedKey["kind"], keys: readonly ChangedKey[]): ReadonlySet<string> =>
  new Set(keys.filter((each) => each.kind === kind).map(({ key }) => key));

/** Concurrent calls share one load, whose result is kept also if nobody waits for it any longer. */
function createLoader(reader: Reader, cache: ReturnType<typeof createModelCache>) {
  const loading = new Map<string, Promise<OrganizationModel>>();

  async function loadAndKeep(organizationID: string): Promise<OrganizationModel> {
    try {
      const model = await loadModel(reader, organizationID);
      cache.set(organizationID, model);
      return model;
    } finally {
      loading.delete(organizationID);
    }
  }

  return (organizationID: string): Promise<OrganizationModel> => {
    const started = loading.get(organizationID) ?? loadAndKeep(organizationID);
    loading.set(organizationID, started);
    return started;
  };
}

function createCommittedModels(ctx: Pick<Context, "clock" | "reader">) {
  const cache = createModelCache();
  const load = createLoader(ctx.reader, cache);

  /** Changes that are no longer stored were made after the model was read: then the model is read again. */
  async function readChanges(
    organizationID: string,
  ): Promise<{ model: OrganizationModel; changes: ChangesSince }> {
    const cached = cache.get(organizationID) ?? (await load(organizationID));
    const changes = await readChangesSince(ctx.reader, organizationID, cached.horizon);
    if (isComplete(cached, changes)) return { model: cached, changes };
    cache.delete(organizationID);
    const model = await load(organizationID);
    return { model, changes: await readChangesSince(ctx.reader, organizationID, model.horizon) };
  }

  /** Applies committed changes, and keeps the result. */
  function updateModel(
    organizationID: string,
    model: OrganizationModel,
    { horizon, ...changes }: ObjectChanges & Pick<ChangesSince, "horizon">,
  ): OrganizationModel {
    const updated = { ...updateTime(applyChanges(model, changes), ctx.clock()), horizon };
    cache.set(organizationID, updated);
    return updated;
  }

  async function read(organizationID: string): Promise<CommittedModel> {
    const { model, changes } = await readChanges(organizationID);
    return { ...updateModel(organizationID, model, changes), revisions: changes.revisions };
  }

  return {
    /** The model as it was last read, if it is in memory. */
    get: (organizationID: string) => cache.get(organizationID),
    load,
    read,
    updateModel,
  };
}

export function createAccessModels(ctx: Pick<Context, "clock" | "reader">): AccessModels {
  const { get, load, read, updateModel } = createCommittedModels(ctx);

  async function readUncommitted<Late extends undefined>(
    tx: Writer,
    organizationID: string,
    wait: <T extends object>(promise: Promise<T>) => Promise<T | Late>,
  ): Promise<UncommittedModel | Late> {
    const known = get(organizationID) ?? (await wait(load(organizationID)));
    if (!isModel(known)) return known;
    const changes = await readChangesSince(tx, organizationID, known.horizon);
    const [own, committed] = splitKeys(changes.keys);
    const before =
      isComplete(known, changes) && !haveSameObject(own, committed)
        ? updateModel(organizationID, known, { ...changes, keys: committed })
        : await wait(read(organizationID));
    if (!isModel(before)) return before;
    return { before, after: applyChanges(before, { ...changes, keys: own }), changed: toChangedIDs(own) };
  }

  return {
    async mayHaveGuarantees(tx, organizationID) {
      const known = get(organizationID)?.guarantees.size ?? 0;
      return known > 0 || (await hasGuarantees(tx, organizationID));
    },
    read,
    readUncommitted: (tx, organizationID) =>
      readUncommitted<never>(tx, organizationID, (promise) => keepOpenWhile(tx, promise)),
    readUncommittedWithin: (ms, tx, organizationID) =>
      readUncommitted<undefined>(tx, organizationID, (promise) => resolveWithin(ms, promise)),
  };
}

const isModel = <Late extends undefined>(model: OrganizationModel | Late): model is OrganizationModel =>
  model !== undefined;

function splitKeys(keys: ChangesSince["keys"]): [own: ChangedKey[], committed: ChangedKey[]] {
  return [keys.filter(({ isOwn }) => isOwn), keys.filter(({ isOwn }) => !isOwn)];
}

/** In the transaction, the committed state of an object that the transaction has changed can't be read. */
function haveSameObject(own: readonly ChangedKey[], committed: readonly ChangedKey[]): boolean {
  const nameOf = ({ kind, key }: ChangedKey) => `${kind} ${key}`;
  const names = new Set(committed.map(nameOf));
  return own.some((key) => names.has(nameOf(key)));
}

/** The database ends a transaction that is idle for 10 s; loading an organization with many hosts may take longer. */
const KEEP_OPEN_MS = 2 * SECOND_MS;

async function keepOpenWhile<T extends object>(tx: Writer, promise: Promise<T>): Promise<T> {
  for (;;) {
    const result = await Promise.race([promise, sleep(KEEP_OPEN_MS, undefined, { ref: false })]);
    if (result) return result;
    await sql`select 1`.execute(tx);
  }
}

/** Undefined if the promise takes longer, or if it fails. */
async function resolveWithin<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  const result = await Promise.race([promise.catch(() => undefined), timeout]);
  clearTimeout(timer);
  return result;
}

const toChangedIDs = (keys: readonly ChangedKey[]): ChangedIDs => ({
  hostIDs: keysOf("host", keys),
  roleIDs: keysOf("role", keys),
  tags: keysOf("tag", keys),
  routeIDs: keysOf("route", keys),
});

const isComplete = ({ horizon }: OrganizationModel, { deletedUpTo }: ChangesSince) =>
  deletedUpTo === null || BigInt(deletedUpTo) < BigInt(horizon);

/** Adds some hosts at a time, so that other requests don't wait for all of them. */
async function loadModel(db: Reader, organizationID: string): Promise<OrganizationModel> {
  // Read first: whatever changes while the hosts are read is read again with the next changes.
  const state = await readStateWithoutHosts(db, organizationID);
  let model = createModel(state);
  for await (const hosts of readHostStates(db, organizationID)) model = addObjects(model, "host", hosts);
  return addObjects(model, "route", state.route);
}
