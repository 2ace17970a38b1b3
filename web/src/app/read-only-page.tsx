import { useNavigate, useOutletContext, Outlet } from "react-router";
import { usePageTitle } from "../lib/title.ts";
import { Button } from "../ui/controls/button.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { useReadOnly } from "../ui/base/read-only.ts";

const TITLE = "Only to look at";
const WHY =
  "Your role is auditor: it reads everything and changes nothing. An owner of the organization can give you another.";

/** Around pages that are there to change something: who only reads is told so before anything is filled in. */
export function RequireWriter() {
  const context: unknown = useOutletContext();
  return useReadOnly() ? <ReadOnlyPage /> : <Outlet context={context} />;
}

/** The same for what opens over another page. */
export function RequireWriterOver() {
  const context: unknown = useOutletContext();
  return useReadOnly() ? <ReadOnlyDialog /> : <Outlet context={context} />;
}

function ReadOnlyPage() {
  usePageTitle(TITLE);
  return <PageHeader title={TITLE} lead={WHY} />;
}

function ReadOnlyDialog() {
  const navigate = useNavigate();
  const close = () => void navigate("..", { replace: true, preventScrollReset: true });
  return (
    <Dialog
      open
      title={TITLE}
      description={WHY}
      onClose={close}
      actions={<Button onClick={close}>Close</Button>}
    />
  );
}
