import { useLocation, useNavigate } from "react-router";

/** Closes a dialog that has a URL: returns to the page at this path, with the state of its list. */
export function useCloseDialog(pathname: string): () => void {
  const { search } = useLocation();
  const navigate = useNavigate();
  return () => void navigate({ pathname, search }, { replace: true, preventScrollReset: true });
}
