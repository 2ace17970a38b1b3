import { useNavigate, useOutletContext, Outlet } from "react-router";
import { usePageTitle } from "../lib/title.ts";
import { Button } from "../ui/controls/button.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { useReadOnly } from "../ui/base/read-only.ts";

const TITLE = "Read-only access";
const EXPLANATION = "Auditors can view everything but can’t make changes. Ask an owner to change your role.";

/** Around pages that change something: explains to auditors that they can't, before they fill in anything. */
export function RequireWriter() {
  const context: unknown = useOutletContext();
  return useReadOnly() ? <ReadOnlyPage /> : <Outlet context={context} />;
}

/** The same for dialogs over another page. */
export function RequireWriterOver() {
  const context: unknown = useOutletContext();
  return useReadOnly() ? <ReadOnlyDialog /> : <Outlet context={context} />;
}

function ReadOnlyPage() {
  usePageTitle(TITLE);
  return <PageHeader title={TITLE} lead={EXPLANATION} />;
}

function ReadOnlyDialog() {
  const navigate = useNavigate();
  const close = () => void navigate("..", { replace: true, preventScrollReset: true });
  return (
    <Dialog
      open
      title={TITLE}
      description={EXPLANATION}
      onClose={close}
      actions={<Button onClick={close}>Close</Button>}
    />
  );
}
