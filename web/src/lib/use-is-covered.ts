import { useState } from "react";

/** Whether a dialog that was opened by its URL still covers the page. It doesn't wait for the code of what it covers. */
export function useIsCovered(isDialogOpen: boolean): boolean {
  const [isCovered, setCovered] = useState(isDialogOpen);
  if (isCovered && !isDialogOpen) setCovered(false);
  return isCovered;
}
