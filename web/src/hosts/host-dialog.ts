import { useLocation, useNavigate } from "react-router";

/** Closing a dialog that has an address goes back to where it was opened, or to the page it stands over. */
export function useCloseDialog(over: string): () => Promise<void> {
  const isFirst = useLocation().key === "default";
  const navigate = useNavigate();
  return async () => {
    if (isFirst) await navigate(over, { replace: true, preventScrollReset: true });
    else await navigate(-1);
  };
}
