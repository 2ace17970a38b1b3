import { getRoleDependents, getTagDependents } from "@lightkeeper/contract";
import { read } from "../lib/query.ts";

/** Not cached: the preview of a deletion must be current each time the dialog opens. */
const gcTime = 0;

export const roleDependentsQuery = (roleID: string) => ({
  ...read(getRoleDependents, { params: { roleID } }),
  gcTime,
});

export const tagDependentsQuery = (tag: string) => ({
  ...read(getTagDependents, { params: { tag } }),
  gcTime,
});
