import { Link } from "react-router";

export function Breadcrumb() {
  return (
    <nav aria-label="Breadcrumb">
      <Link to="/settings/networks">Networks</Link>
    </nav>
  );
}
