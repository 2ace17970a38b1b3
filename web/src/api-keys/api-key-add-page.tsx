import { createApiKey, type DataOf } from "@lightkeeper/contract";
import { useState } from "react";
import { useNavigate } from "react-router";
import { LeaveGuard, nothingToLose } from "../forms/leave-guard.tsx";
import { useWrite } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";
import { Breadcrumb } from "../ui/pages/breadcrumb.tsx";
import { Button } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { FormPage } from "../ui/pages/form-page.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { ApiKeyForm } from "./api-key-form.tsx";
import { apiKeyCrumbs, API_KEYS_PATH } from "./api-key-link.tsx";
import { toBody } from "./api-key-values.ts";
import { NewToken, leaveWithoutTokenTexts } from "./new-token.tsx";
import styles from "./api-keys.module.css";

type NewApiKey = DataOf<typeof createApiKey>;

export function ApiKeyAddPage() {
  usePageTitle("Add API key");
  const [createdKey, setCreatedKey] = useState<NewApiKey>();
  const { mutateAsync: create } = useWrite(createApiKey);
  return (
    <FormPage>
      {createdKey ? (
        <CreatedApiKey apiKey={createdKey} />
      ) : (
        <>
          <PageHeader
            breadcrumb={<Breadcrumb crumbs={apiKeyCrumbs} />}
            title="Add API key"
            lead="Create a key for a script or service. It can only do what its scopes allow."
          />
          <Card>
            <ApiKeyForm
              submitLabel="Add API key"
              save={async (values) => setCreatedKey(await create({ body: toBody(values) }))}
            />
          </Card>
        </>
      )}
    </FormPage>
  );
}

function CreatedApiKey({ apiKey }: { apiKey: NewApiKey }) {
  const navigate = useNavigate();
  return (
    <>
      <PageHeader
        breadcrumb={<Breadcrumb crumbs={apiKeyCrumbs} />}
        title={
          <>
            API key <bdi>{apiKey.name}</bdi> created
          </>
        }
      />
      <Card>
        <div className={styles.secret}>
          <NewToken apiKey={apiKey} />
          <div className={styles.actions}>
            <Button variant="primary" autoFocus onClick={() => void navigate(API_KEYS_PATH, nothingToLose)}>
              I’ve saved it
            </Button>
          </div>
        </div>
      </Card>
      <LeaveGuard isDirty {...leaveWithoutTokenTexts} />
    </>
  );
}
