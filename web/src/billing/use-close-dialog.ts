import { useNavigate } from "react-router";
import { BILLING_PATH } from "./billing-paths.ts";

export function useCloseDialog(): () => void {
  const navigate = useNavigate();
  return () => void navigate(BILLING_PATH, { replace: true, preventScrollReset: true });
}
