import { useLocation, useNavigate } from "react-router";
import { USER_SETTINGS_PATH } from "./settings-paths.ts";

/** Back to the settings, with the list as it was. */
export function useCloseDialog(): () => void {
  const { search } = useLocation();
  const navigate = useNavigate();
  return () =>
    void navigate({ pathname: USER_SETTINGS_PATH, search }, { replace: true, preventScrollReset: true });
}
