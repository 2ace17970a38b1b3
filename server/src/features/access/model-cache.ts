import { countHosts, type OrganizationModel } from "./organization-model.ts";

/** About 1 KB each. */
const HOSTS_MAX = 400_000;

/** Keeps the models that were used last, up to a number of hosts. */
export function createModelCache() {
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
