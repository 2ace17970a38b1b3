import { useLocation, useNavigate } from "react-router";

interface CloseOptions {
  /** Return to the page that opened the dialog, if it was opened from a page. */
  goBack?: boolean;
}

/** Closes a dialog that has a URL: shows the page at this path, with the state of its list. */
export function useCloseDialog(parentPath: string, { goBack = false }: CloseOptions = {}): () => void {
  const { key, search } = useLocation();
  const navigate = useNavigate();
  return () => {
    // The first page of a tab has this key and nothing to go back to.
    if (goBack && key !== "default") void navigate(-1);
    else void navigate({ pathname: parentPath, search }, { replace: true, preventScrollReset: true });
  };
}
