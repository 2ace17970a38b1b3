import { useLocation, useNavigate } from "react-router";

/** Closes a dialog that has its own URL: goes back, or to the page behind it if it was opened by URL. */
export function useCloseDialog(parentPath: string): () => Promise<void> {
  const isFirst = useLocation().key === "default";
  const navigate = useNavigate();
  return async () => {
    if (isFirst) await navigate(parentPath, { replace: true, preventScrollReset: true });
    else await navigate(-1);
  };
}
