/** What a document would come to in the world as it is. Nothing is asked and nothing is changed here. */
import type { ImportPlan } from "@lightkeeper/contract";
import type { Kind } from "./document.ts";
import { type JudgedHost, planHosts } from "./plan-hosts.ts";
import { type JudgedRole, planRoles } from "./plan-roles.ts";
import { type JudgedTag, planTags } from "./plan-tags.ts";
import type { Things } from "./things.ts";
import type { World } from "./world.ts";

export type Plan = Omit<ImportPlan, "planToken">;

export interface PlannedImport {
  plan: Plan;
  roles: JudgedRole[];
  tags: JudgedTag[];
  hosts: JudgedHost[];
}

type Placed<T> = { position: number; entry: T };

const inOrder = <T>(placed: Placed<T>[]): T[] =>
  placed.toSorted((a, b) => a.position - b.position).map(({ entry }) => entry);

export async function planThings(things: Things, world: World): Promise<PlannedImport> {
  const { roles, find } = planRoles(things.role, world);
  const tags = planTags(things.tag, world, find);
  const hosts = await planHosts(things.host, world, find);
  const create: Placed<Plan["create"][number]>[] = [];
  const change: Placed<Plan["change"][number]>[] = [];
  const refuse: Placed<Plan["refuse"][number]>[] = [];
  let unchanged = 0;
  const put = (kind: Kind, { thing, verdict, network }: JudgedRole | JudgedTag | JudgedHost) => {
    const { place, position } = thing;
    const named = { place, kind, name: thing.value.name, ...(network !== undefined && { network }) };
    if (verdict.kind === "create") create.push({ position, entry: named });
    else if (verdict.kind === "unchanged") unchanged++;
    else if (verdict.kind === "refuse")
      refuse.push(...verdict.faults.map((fault) => ({ position, entry: { place, ...fault } })));
    else change.push({ position, entry: { ...named, id: verdict.id, properties: verdict.properties } });
  };
  for (const role of roles) put("role", role);
  for (const tag of tags) put("tag", tag);
  for (const host of hosts) put("host", host);
  for (const { place, position, faults } of things.refused)
    refuse.push(...faults.map((fault) => ({ position, entry: { place, ...fault } })));
  const plan = { create: inOrder(create), change: inOrder(change), refuse: inOrder(refuse), unchanged };
  return { plan, roles, tags, hosts };
}
