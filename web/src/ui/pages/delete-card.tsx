import { Suspense, useState, type ReactNode } from "react";
import { Button } from "../controls/button.tsx";
import { DangerCard } from "./form-page.tsx";
import { TrashIcon } from "../base/icons.tsx";

interface DeleteCardProps {
  /** The noun of the deleted object. */
  what: string;
  /** What else is deleted, and what must be removed first. */
  cost: string;
  /** The confirmation, which may be loaded lazily. */
  children: (close: () => void) => ReactNode;
}

export function DeleteCard({ what, cost, children }: DeleteCardProps) {
  const [deleting, setDeleting] = useState(false);
  return (
    <>
      <DangerCard
        title={`Delete this ${what}`}
        action={
          <Button icon={<TrashIcon />} onClick={() => setDeleting(true)}>
            Delete {what}…
          </Button>
        }
      >
        {cost}
      </DangerCard>
      <Suspense>{deleting && children(() => setDeleting(false))}</Suspense>
    </>
  );
}
