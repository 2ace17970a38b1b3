import { useEffect } from "react";
import { Outlet } from "react-router";
import { followEvents } from "../lib/events.ts";

/** Keeps one event stream open across all signed-in pages, so that navigating misses no event. */
export function Live() {
  useEffect(() => followEvents(), []);
  return <Outlet />;
}
