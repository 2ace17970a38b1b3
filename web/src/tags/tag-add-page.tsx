import { createTag } from "@lightkeeper/contract";
import { useNavigate } from "react-router";
import { nothingToLose } from "../forms/leave-guard.tsx";
import { useWrite } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";
import { mutationsOf } from "../preview/preview-values.ts";
import { AddPage } from "../ui/pages/add-page.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { TagForm } from "./tag-form.tsx";
import { tagCrumbs, TAGS_PATH } from "../references/tag-link.tsx";
import { toBody, type TagValues } from "./tag-values.ts";

const toCreate = (values: TagValues) => ({ name: values.name, ...toBody(values) });
const toMutations = (values: TagValues) => mutationsOf(createTag, { body: toCreate(values) });

export function TagAddPage() {
  usePageTitle("Add tag");
  const navigate = useNavigate();
  const { mutateAsync: create } = useWrite(createTag);

  async function save(values: TagValues) {
    const { name } = await create({ body: toCreate(values) });
    toast(`Tag ${name} added`, { tone: "ok" });
    await navigate(TAGS_PATH, nothingToLose);
  }

  return (
    <AddPage
      hasAside
      crumbs={tagCrumbs}
      title="Add tag"
      lead="A tag applies rules, routes and settings to every host that has it. New tags get the highest priority."
    >
      <TagForm submitLabel="Add tag" toMutations={toMutations} save={save} />
    </AddPage>
  );
}
