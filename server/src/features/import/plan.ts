/** Plans an import from the parsed items and the existing state. Pure. */
import type { ImportPlan } from "@lightkeeper/contract";
import type { Kind } from "./document.ts";
import { type PlannedHost, planHosts } from "./plan-hosts.ts";
import { type PlannedRole, planRoles } from "./plan-roles.ts";
import { type PlannedTag, planTags } from "./plan-tags.ts";
import type { ParsedItems } from "./items.ts";
import type { ExistingState } from "./existing-state.ts";

export type Plan = Omit<ImportPlan, "planToken">;

export interface PlannedImport {
  plan: Plan;
  roles: PlannedRole[];
  tags: PlannedTag[];
  hosts: PlannedHost[];
}

type Positioned<T> = { position: number; entry: T };

const inOrder = <T>(entries: Positioned<T>[]): T[] =>
  entries.toSorted((a, b) => a.position - b.position).map(({ entry }) => entry);

export async function planItems(items: ParsedItems, state: ExistingState): Promise<PlannedImport> {
  const { roles, find } = planRoles(items.role, state);
  const tags = planTags(items.tag, state, find);
  const hosts = await planHosts(items.host, state, find);
  const create: Positioned<Plan["create"][number]>[] = [];
  const change: Positioned<Plan["change"][number]>[] = [];
  const reject: Positioned<Plan["reject"][number]>[] = [];
  let unchanged = 0;
  const add = (kind: Kind, { item, action, network }: PlannedRole | PlannedTag | PlannedHost) => {
    const { place, position } = item;
    const summary = { place, kind, name: item.value.name, ...(network !== undefined && { network }) };
    if (action.kind === "create") create.push({ position, entry: summary });
    else if (action.kind === "unchanged") unchanged++;
    else if (action.kind === "reject")
      reject.push(...action.problems.map((problem) => ({ position, entry: { place, ...problem } })));
    else change.push({ position, entry: { ...summary, id: action.id, properties: action.properties } });
  };
  for (const role of roles) add("role", role);
  for (const tag of tags) add("tag", tag);
  for (const host of hosts) add("host", host);
  for (const { place, position, problems } of items.rejected)
    reject.push(...problems.map((problem) => ({ position, entry: { place, ...problem } })));
  const plan = { create: inOrder(create), change: inOrder(change), reject: inOrder(reject), unchanged };
  return { plan, roles, tags, hosts };
}
