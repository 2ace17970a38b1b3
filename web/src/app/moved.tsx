import { Navigate, useLocation, useParams } from "react-router";

/** Redirects URLs of earlier versions, which emails, bookmarks and tickets may contain. Keeps the rest of the path. */
export function Moved({ to }: { to: string }) {
  const { "*": rest } = useParams();
  const { search } = useLocation();
  return <Navigate to={{ pathname: rest ? `${to}/${rest}` : to, search }} replace />;
}
