import { updateApiKey, type ApiKey } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { Outlet, useNavigate, useOutlet, useParams } from "react-router";
import { nothingToLose } from "../forms/leave-guard.tsx";
import { Loaded } from "../lib/loaded.tsx";
import { useWrite } from "../lib/query.ts";
import { PageTitle } from "../lib/title.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { EditPage } from "../ui/pages/edit-page.tsx";
import { Cards, DangerCard } from "../ui/pages/form-page.tsx";
import { RefreshIcon, TrashIcon } from "../ui/base/icons.tsx";
import { CopyableKeyValue, KeyValue, KeyValueList, TimeKeyValue } from "../ui/text/key-value.tsx";
import { Time } from "../ui/text/time.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { ApiKeyCreator } from "./api-key-creator.tsx";
import { ApiKeyExpiry } from "./api-key-expiry.tsx";
import { ApiKeyForm } from "./api-key-form.tsx";
import { apiKeyCrumbs, apiKeyPath, API_KEYS_PATH } from "./api-key-link.tsx";
import { toBody, toValues, type ApiKeyValues } from "./api-key-values.ts";
import { apiKeyQuery } from "./api-keys.queries.ts";

export function ApiKeyEditPage() {
  const { apiKeyID = "" } = useParams();
  const query = useQuery(apiKeyQuery(apiKeyID));
  // A dialog with its own URL sets its own title.
  const hasDialog = useOutlet() !== null;
  return (
    <>
      {!hasDialog && <PageTitle>{query.data ? `Edit ${query.data.name}` : "Edit API key"}</PageTitle>}
      <Loaded query={query} title="Edit API key" crumbs={apiKeyCrumbs}>
        {(apiKey) => (
          <>
            <EditApiKey key={apiKey.id} apiKey={apiKey} />
            <Outlet context={apiKey} />
          </>
        )}
      </Loaded>
    </>
  );
}

function EditApiKey({ apiKey }: { apiKey: ApiKey }) {
  const navigate = useNavigate();
  const { mutateAsync: update } = useWrite(updateApiKey);
  const latest = toValues(apiKey);

  async function save(values: ApiKeyValues) {
    const body = toBody(values, { before: apiKey });
    const { name } = await update({ params: { apiKeyID: apiKey.id }, body });
    toast(`API key ${name} saved`, { tone: "ok" });
    await navigate(API_KEYS_PATH, nothingToLose);
  }

  return (
    <EditPage
      crumbs={apiKeyCrumbs}
      name={apiKey.name}
      actions={
        <LinkButton writes to={`${apiKeyPath(apiKey.id)}/rotate`} icon={<RefreshIcon />}>
          Rotate…
        </LinkButton>
      }
    >
      <Cards>
        <Card>
          <ApiKeyForm initial={latest} latest={latest} submitLabel="Save" save={save} />
        </Card>
        <Details apiKey={apiKey} />
        <DangerCard
          title="Delete this API key"
          action={
            <LinkButton to={`${apiKeyPath(apiKey.id)}/delete`} icon={<TrashIcon />}>
              Delete API key…
            </LinkButton>
          }
        >
          Requests with this key fail from then on. To replace only the token, rotate the key.
        </DangerCard>
      </Cards>
    </EditPage>
  );
}

function Details({ apiKey }: { apiKey: ApiKey }) {
  const { id, createdAt, createdBy, lastUsedAt, previousExpiresAt } = apiKey;
  return (
    <Card title="Details" padded={false}>
      <KeyValueList>
        <KeyValue label="Last used">{lastUsedAt ? <Time at={lastUsedAt} past /> : "Never"}</KeyValue>
        <KeyValue label="Expires">
          <ApiKeyExpiry apiKey={apiKey} />
        </KeyValue>
        {previousExpiresAt && (
          <KeyValue label="Old token">
            Works until <Time at={previousExpiresAt} absolute />
          </KeyValue>
        )}
        <CopyableKeyValue label="API key ID" value={id} />
        <KeyValue label="Created by">
          <ApiKeyCreator createdBy={createdBy} />
        </KeyValue>
        <TimeKeyValue label="Created" at={createdAt} />
      </KeyValueList>
    </Card>
  );
}
