import type { TagListItem } from "@lightkeeper/contract";
import { lazy, Suspense, useState } from "react";
import { NounList } from "../on-demand/noun-list.tsx";
import { LinkButton } from "../ui/controls/button.tsx";
import { GripIcon, TagIcon } from "../ui/base/icons.tsx";
import { tagColumns } from "./tag-columns.tsx";
import { TAG_ADD_PATH, TAG_REORDER_PATH } from "../references/tag-link.tsx";
import { tagsPageQuery } from "../references/tags.queries.ts";

const DeleteTagDialog = lazy(() => import("./delete-tag-dialog.tsx"));

export function TagsPage() {
  const [deleting, setDeleting] = useState<TagListItem>();
  const stopDeleting = () => setDeleting(undefined);
  return (
    <>
      <NounList
        title="Tags"
        lead="Tags add rules, routes and settings to hosts. If two tags set the same option, the one with higher priority wins."
        noun="tag"
        addPath={TAG_ADD_PATH}
        searchLabel="Search name or description"
        queryOf={tagsPageQuery}
        columns={tagColumns({ onDelete: setDeleting })}
        rowKey={({ name }) => name}
        icon={<TagIcon />}
        first="Add a tag such as env:prod, assign it to hosts and use it in rules."
        actions={
          <LinkButton writes to={TAG_REORDER_PATH} icon={<GripIcon />}>
            Reorder
          </LinkButton>
        }
      />
      <Suspense>
        {deleting && <DeleteTagDialog tag={deleting} onClose={stopDeleting} onDeleted={stopDeleting} />}
      </Suspense>
    </>
  );
}
