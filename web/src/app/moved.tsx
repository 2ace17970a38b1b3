import { Navigate, useLocation, useParams } from "react-router";

/** For addresses of earlier versions, which emails, bookmarks and tickets may hold. What follows the path stays. */
export function Moved({ to }: { to: string }) {
  const { "*": rest } = useParams();
  const { search } = useLocation();
  return <Navigate to={{ pathname: rest ? `${to}/${rest}` : to, search }} replace />;
}
