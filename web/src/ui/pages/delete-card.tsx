import { Suspense, useState, type ReactNode } from "react";
import { Button } from "../controls/button.tsx";
import { DangerCard } from "./form-page.tsx";
import { TrashIcon } from "../base/icons.tsx";

interface DeleteCardProps {
  /** What is deleted, in one word. */
  what: string;
  /** What goes with it, and what has to go before. */
  cost: string;
  /** The dialog that asks; it may be loaded only then. */
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
