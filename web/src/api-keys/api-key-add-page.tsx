import { createApiKey, type DataOf } from "@lightkeeper/contract";
import { useState } from "react";
import { useNavigate } from "react-router";
import { LeaveGuard, nothingToLose } from "../lib/leave-guard.tsx";
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
import { NewToken, withoutToken } from "./new-token.tsx";
import styles from "./api-keys.module.css";

type NewApiKey = DataOf<typeof createApiKey>;

export function ApiKeyAddPage() {
  usePageTitle("Add API key");
  const [made, setMade] = useState<NewApiKey>();
  const { mutateAsync: create } = useWrite(createApiKey);
  return (
    <FormPage>
      {made ? (
        <Made apiKey={made} />
      ) : (
        <>
          <PageHeader
            breadcrumb={<Breadcrumb crumbs={apiKeyCrumbs} />}
            title="Add API key"
            lead="It lets a tool do what its scopes say, in this organization and in nobody’s name but its own."
          />
          <Card>
            <ApiKeyForm
              submitLabel="Add API key"
              save={async (values) => setMade(await create({ body: toBody(values) }))}
            />
          </Card>
        </>
      )}
    </FormPage>
  );
}

function Made({ apiKey }: { apiKey: NewApiKey }) {
  const navigate = useNavigate();
  return (
    <>
      <PageHeader
        breadcrumb={<Breadcrumb crumbs={apiKeyCrumbs} />}
        title={
          <>
            <bdi>{apiKey.name}</bdi> is ready
          </>
        }
      />
      <Card>
        <div className={styles.secret}>
          <NewToken apiKey={apiKey} />
          <div className={styles.actions}>
            <Button variant="primary" autoFocus onClick={() => void navigate(API_KEYS_PATH, nothingToLose)}>
              I have saved it
            </Button>
          </div>
        </div>
      </Card>
      <LeaveGuard isDirty {...withoutToken} />
    </>
  );
}
