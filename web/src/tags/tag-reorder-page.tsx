import type { TagListItem } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { Loaded } from "../lib/loaded.tsx";
import { formatCount } from "../lib/format.ts";
import { usePageTitle } from "../lib/title.ts";
import { Breadcrumb } from "../ui/pages/breadcrumb.tsx";
import { LinkButton } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { EmptyState } from "../ui/feedback/empty-state.tsx";
import { FormPage } from "../ui/pages/form-page.tsx";
import { TagIcon } from "../ui/base/icons.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { ReorderList } from "../ui/on-demand/reorder-list.tsx";
import { TAG_ADD_PATH, TagLink, tagCrumbs, TAGS_PATH } from "../references/tag-link.tsx";
import { allTagsQuery } from "../references/tags.queries.ts";
import styles from "./tag-reorder-page.module.css";
import { useTagOrder } from "./use-tag-order.ts";

export function TagReorderPage() {
  usePageTitle("Reorder tags");
  return (
    <Loaded query={useQuery(allTagsQuery)} title="Reorder tags" crumbs={tagCrumbs}>
      {(tags) => (
        <FormPage>
          <PageHeader
            breadcrumb={<Breadcrumb crumbs={tagCrumbs} />}
            title="Reorder tags"
            lead="If a host’s tags conflict, the higher tag wins. Changes are saved as you move tags."
            actions={
              <LinkButton to={TAGS_PATH} variant="primary">
                Done
              </LinkButton>
            }
          />
          {tags.length === 0 ? <NoTags /> : <TagOrder tags={tags} />}
        </FormPage>
      )}
    </Loaded>
  );
}

function NoTags() {
  return (
    <Card>
      <EmptyState
        icon={<TagIcon />}
        title="No tags yet"
        action={
          <LinkButton to={TAG_ADD_PATH} variant="primary">
            Add tag
          </LinkButton>
        }
      >
        Add tags to set their priority.
      </EmptyState>
    </Card>
  );
}

function TagOrder({ tags }: { tags: readonly TagListItem[] }) {
  const { order, move } = useTagOrder(tags);
  return (
    <Card padded={false}>
      <p className={styles.end}>Highest priority</p>
      <ReorderList
        label="Tags, highest priority first"
        items={order}
        keyOf={({ name }) => name}
        nameOf={({ name }) => name}
        onMove={move}
      >
        {(tag) => (
          <div className={styles.orderRow}>
            <TagLink name={tag.name} />
            {tag.configOverrides.length > 0 && (
              <span className={styles.settingCount}>
                {formatCount(tag.configOverrides.length, "setting")}
              </span>
            )}
          </div>
        )}
      </ReorderList>
      <p className={styles.end}>Lowest priority</p>
    </Card>
  );
}
