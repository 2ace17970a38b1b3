import type { ReactNode } from "react";
import { ACCESS_MATRIX_PATH, ACCESS_PATH } from "../references/access-paths.ts";
import { writeToClipboard } from "../ui/base/clipboard.ts";
import { Button } from "../ui/controls/button.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { LinkIcon } from "./access-icons.tsx";
import { Segments } from "../ui/on-demand/segments.tsx";

interface AccessHeaderProps {
  view: "check" | "matrix";
  title: ReactNode;
  lead: ReactNode;
}

async function copyLink() {
  const result = await writeToClipboard(location.href);
  if (result === "copied") toast("Link copied", { tone: "ok" });
  else toast("Unable to copy the link", { tone: "danger" });
}

export function AccessHeader({ view, title, lead }: AccessHeaderProps) {
  return (
    <PageHeader
      title={title}
      lead={lead}
      actions={
        <>
          <Segments
            label="Access views"
            segments={[
              { label: "Check", to: ACCESS_PATH, isCurrent: view === "check" },
              { label: "Matrix", to: ACCESS_MATRIX_PATH, isCurrent: view === "matrix" },
            ]}
          />
          <Button icon={<LinkIcon />} onClick={() => void copyLink()}>
            Copy link
          </Button>
        </>
      }
    />
  );
}
