/** Keeps the models of organizations in memory, and updates them with what has changed in the database. */
import type { Context } from "../../infrastructure/context/context.ts";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import {
  type ChangedKey,
  type HostState,
  type ObjectChanges,
  type CommittedChanges,
  readChangesSince,
  readHostStates,
  readOwnChanges,
  readStateWithoutHosts,
} from "./access-state.queries.ts";
import {
  applyChanges,
  countHosts,
  createModel,
  type OrganizationModel,
  updateTime,
} from "./organization-model.ts";

/** About 1 KB each. */
const HOSTS_MAX = 400_000;

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

export function createAccessModels(ctx: Pick<Context, "clock" | "reader">): AccessModels {
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
  ): Promise<{ model: OrganizationModel; changes: CommittedChanges }> {
    const cached = cache.get(organizationID) ?? (await load(organizationID));
    const changes = await readChangesSince(ctx.reader, organizationID, cached.horizon);
    if (isComplete(cached, changes)) return { model: cached, changes };
    cache.delete(organizationID);
    const model = await load(organizationID);
    return { model, changes: await readChangesSince(ctx.reader, organizationID, model.horizon) };
  }

  async function read(organizationID: string): Promise<CommittedModel> {
    const { model, changes } = await readChanges(organizationID);
    const updated = updateTime(applyChanges(model, changes), ctx.clock());
    const current = { ...updated, horizon: changes.horizon };
    cache.set(organizationID, current);
    return { ...current, revisions: changes.revisions };
  }

  return {
    read,
    async readUncommitted(tx, organizationID) {
      const [before, changes] = await Promise.all([read(organizationID), readOwnChanges(tx, organizationID)]);
      return toUncommitted(before, changes);
    },
    async readUncommittedWithin(ms, tx, organizationID) {
      const [before, changes] = await Promise.all([
        resolveWithin(ms, read(organizationID)),
        readOwnChanges(tx, organizationID),
      ]);
      return before && toUncommitted(before, changes);
    },
  };
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

/** Objects that the transaction has changed are locked: the committed state is the one before the change. */
const toUncommitted = (before: OrganizationModel, changes: ObjectChanges): UncommittedModel => ({
  before,
  after: applyChanges(before, changes),
  changed: toChangedIDs(changes.keys),
});

const toChangedIDs = (keys: readonly ChangedKey[]): ChangedIDs => ({
  hostIDs: keysOf("host", keys),
  roleIDs: keysOf("role", keys),
  tags: keysOf("tag", keys),
  routeIDs: keysOf("route", keys),
});

const isComplete = ({ horizon }: OrganizationModel, { deletedUpTo }: CommittedChanges) =>
  deletedUpTo === null || BigInt(deletedUpTo) < BigInt(horizon);

async function loadModel(db: Reader, organizationID: string): Promise<OrganizationModel> {
  // Read first: whatever changes while the hosts are read is read again with the next changes.
  const state = await readStateWithoutHosts(db, organizationID);
  const hosts: HostState[] = [];
  for await (const some of readHostStates(db, organizationID)) hosts.push(...some);
  return createModel(state, hosts);
}

/** Keeps the models that were used last, up to a number of hosts. */
function createModelCache() {
  const models = new Map<string, OrganizationModel>();

  function evict(): void {
    const sizes = [...models].map(([id, model]) => ({ id, hosts: countHosts(model) }));
    let hosts = sizes.reduce((sum, each) => sum + each.hosts, 0);
    for (const each of sizes.slice(0, -1)) {
      if (hosts <= HOSTS_MAX) return;
      models.delete(each.id);
      hosts -= each.hosts;
    }
  }

  return {
    get: (organizationID: string) => models.get(organizationID),
    delete: (organizationID: string) => models.delete(organizationID),
    /** A slow read may end after a newer one. */
    set(organizationID: string, model: OrganizationModel): void {
      const known = models.get(organizationID);
      if (known && BigInt(known.horizon) > BigInt(model.horizon)) return;
      models.delete(organizationID);
      models.set(organizationID, model);
      if (!known) evict();
    },
  };
}
