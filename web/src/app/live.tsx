import { useEffect } from "react";
import { Outlet } from "react-router";
import { followEvents } from "../lib/events.ts";

/** Around every signed-in page: one stream for all of them, so that going from one to another misses nothing. */
export function Live() {
  useEffect(() => followEvents(), []);
  return <Outlet />;
}
