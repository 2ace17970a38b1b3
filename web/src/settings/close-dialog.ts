import { useLocation, useNavigate } from "react-router";

/** Closes a dialog that has an address: goes back to the page at this path, with its list as it was. */
export function useCloseDialog(pathname: string): () => void {
  const { search } = useLocation();
  const navigate = useNavigate();
  return () => void navigate({ pathname, search }, { replace: true, preventScrollReset: true });
}
