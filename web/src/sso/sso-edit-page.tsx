import { deleteOidcProvider, type OidcProvider, updateOidcProvider } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { messageOf } from "../lib/errors.ts";
import { nothingToLose } from "../forms/leave-guard.tsx";
import { Loaded } from "../lib/loaded.tsx";
import { useWrite } from "../lib/query.ts";
import { useRenewal } from "../lib/renewal.ts";
import { usePageTitle } from "../lib/title.ts";
import { Breadcrumb } from "../ui/pages/breadcrumb.tsx";
import { Button } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { Cards, DangerCard, FormPage } from "../ui/pages/form-page.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { SsoForm } from "./sso-form.tsx";
import { type SsoValues, toBody } from "./sso-values.ts";
import { oidcProviderQuery, SSO_PATH, ssoCrumbs } from "./sso.queries.ts";

const TITLE = "Edit single sign-on";

export function SsoEditPage() {
  usePageTitle(TITLE);
  return (
    <Loaded query={useQuery(oidcProviderQuery)} title={TITLE} crumbs={ssoCrumbs}>
      {(provider) => <EditProvider provider={provider} />}
    </Loaded>
  );
}

function EditProvider({ provider }: { provider: OidcProvider | null }) {
  const navigate = useNavigate();
  const { mutateAsync: update } = useWrite(updateOidcProvider);

  async function save(values: SsoValues) {
    await update({ body: toBody(values) });
    toast("Single sign-on saved", { tone: "ok" });
    await navigate(SSO_PATH, nothingToLose);
  }

  return (
    <FormPage>
      <PageHeader breadcrumb={<Breadcrumb crumbs={ssoCrumbs} />} title={TITLE} />
      <Cards>
        <Card>
          <SsoForm provider={provider} save={save} />
        </Card>
        {provider && <DisableCard />}
      </Cards>
    </FormPage>
  );
}

function DisableCard() {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const renew = useRenewal();
  const { mutate, isPending, error } = useWrite(deleteOidcProvider, {
    onSuccess: async () => {
      toast("Single sign-on disabled", { tone: "ok" });
      await navigate(SSO_PATH, nothingToLose);
    },
    onError: renew,
  });
  return (
    <>
      <DangerCard
        title="Disable single sign-on"
        action={<Button onClick={() => setOpen(true)}>Disable single sign-on…</Button>}
      >
        Signs out everyone who used single sign-on. Devices enrolled with it stay connected until their
        sign-in expires.
      </DangerCard>
      <ConfirmDialog
        open={isOpen}
        danger
        title="Disable single sign-on?"
        consequence="Everyone who signed in with your identity provider is signed out immediately."
        confirmLabel="Disable single sign-on"
        pending={isPending}
        error={error ? messageOf(error) : undefined}
        onClose={() => setOpen(false)}
        onConfirm={() => mutate()}
      />
    </>
  );
}
