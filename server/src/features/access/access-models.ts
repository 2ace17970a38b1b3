/** Keeps the models of organizations in memory, and updates them with what has changed in the database. */
import type { Context } from "../../infrastructure/context/context.ts";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import {
  type ChangedKey,
  type ChangesSince,
  type HostState,
  type ObjectChanges,
  hasGuarantees,
  readChangesSince,
  readHostStates,
  readStateWithoutHosts,
} from "./access-state.queries.ts";
import { createModelCache } from "./model-cache.ts";
import { applyChanges, createModel, type OrganizationModel, updateTime } from "./organization-model.ts";

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

function createCommittedModels(ctx: Pick<Context, "clock" | "reader">) {
  const cache = createModelCache();
  const loading = new Map<string, Promise<OrganizationModel>>();

  /** Concurrent calls share one load. */
  function load(organizationID: string): Promise<OrganizationModel> {
    const started =
      loading.get(organizationID) ??
      loadModel(ctx.reader, organizationID).finally(() => loading.delete(organizationID));
    loading.set(organizationID, started);
    return started;
  }

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
    wait: <T>(promise: Promise<T>) => Promise<T | Late>,
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
    readUncommitted: (tx, organizationID) => readUncommitted<never>(tx, organizationID, (promise) => promise),
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

async function loadModel(db: Reader, organizationID: string): Promise<OrganizationModel> {
  // Read first: whatever changes while the hosts are read is read again with the next changes.
  const state = await readStateWithoutHosts(db, organizationID);
  const hosts: HostState[] = [];
  for await (const some of readHostStates(db, organizationID)) hosts.push(...some);
  return createModel(state, hosts);
}
