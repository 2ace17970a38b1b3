import { getRoleDependents, getTagDependents } from "@lightkeeper/contract";
import { read } from "../lib/query.ts";

/** Loaded each time a dialog opens: a preview of what deleting changes must not be an old one. */
const gcTime = 0;

export const roleDependentsQuery = (roleID: string) => ({
  ...read(getRoleDependents, { params: { roleID } }),
  gcTime,
});

export const tagDependentsQuery = (tag: string) => ({
  ...read(getTagDependents, { params: { tag } }),
  gcTime,
});
