import { updateTag, type Tag } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { lazy } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { HostCountLink } from "../references/host-count-link.tsx";
import { nothingToLose } from "../forms/leave-guard.tsx";
import { Loaded } from "../lib/loaded.tsx";
import { useWrite } from "../lib/query.ts";
import { mutationsOf } from "../preview/preview-values.ts";
import { usePageTitle } from "../lib/title.ts";
import { Card } from "../ui/pages/card.tsx";
import { DeleteCard } from "../ui/pages/delete-card.tsx";
import { EditPage } from "../ui/pages/edit-page.tsx";
import { Cards } from "../ui/pages/form-page.tsx";
import { KeyValue, KeyValueList } from "../ui/text/key-value.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { TagForm } from "./tag-form.tsx";
import { tagCrumbs, TAG_REORDER_PATH, TAGS_PATH } from "../references/tag-link.tsx";
import { toBody, toValues, type TagValues } from "./tag-values.ts";
import { tagQuery } from "../references/tags.queries.ts";
import styles from "./tag-edit-page.module.css";

const DeleteTagDialog = lazy(() => import("./delete-tag-dialog.tsx"));

export function TagEditPage() {
  const { tagName = "" } = useParams();
  const query = useQuery(tagQuery(tagName));
  usePageTitle(`Edit ${tagName}`);
  return (
    <Loaded query={query} title={`Edit ${tagName}`} crumbs={tagCrumbs}>
      {(tag) => <EditTag key={tag.name} tag={tag} />}
    </Loaded>
  );
}

function EditTag({ tag }: { tag: Tag }) {
  const navigate = useNavigate();
  const { mutateAsync: update } = useWrite(updateTag);

  async function save(values: TagValues) {
    await update({ params: { tag: tag.name }, body: toBody(values) });
    toast(`Tag ${tag.name} saved`, { tone: "ok" });
    await navigate(TAGS_PATH, nothingToLose);
  }

  return (
    <EditPage hasAside crumbs={tagCrumbs} name={tag.name}>
      <Cards>
        <Card>
          <TagForm
            latest={toValues(tag)}
            hostCount={tag.hostCount}
            submitLabel="Save"
            toMutations={(values) =>
              mutationsOf(updateTag, { params: { tag: tag.name }, body: toBody(values) })
            }
            save={save}
          />
        </Card>
        <TagDetails tag={tag} />
        <DangerZone tag={tag} />
      </Cards>
    </EditPage>
  );
}

function TagDetails({ tag: { name, priority, hostCount } }: { tag: Tag }) {
  return (
    <Card title="Details" padded={false}>
      <KeyValueList>
        <KeyValue label="Name">
          <bdi>{name}</bdi>
        </KeyValue>
        <KeyValue label="Hosts">
          <HostCountLink count={hostCount} filter={{ tag: name }} />
        </KeyValue>
        <KeyValue label="Priority">
          {priority}{" "}
          <Link to={TAG_REORDER_PATH} className={styles.aside}>
            Reorder tags
          </Link>
        </KeyValue>
      </KeyValueList>
    </Card>
  );
}

function DangerZone({ tag }: { tag: Tag }) {
  const navigate = useNavigate();
  return (
    <DeleteCard
      what="tag"
      cost="Deletes this tag, its rules and its settings. If it’s in use, you can remove it from hosts and rules in the same step."
    >
      {(close) => (
        <DeleteTagDialog tag={tag} onClose={close} onDeleted={() => navigate(TAGS_PATH, nothingToLose)} />
      )}
    </DeleteCard>
  );
}
