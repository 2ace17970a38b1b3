import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { matchRoutes } from "react-router";
import { expect, it } from "vitest";
import type { FeaturePage } from "../lib/feature.ts";
import { features } from "./features.ts";
import { entries, pagesIn } from "./navigation.ts";
import { routes } from "./router.tsx";

const repeated = (values: readonly string[]) =>
  values.filter((value, index) => values.indexOf(value) !== index);
const allPages: readonly FeaturePage[] = features.flatMap(
  ({ pages = [], setupPages = [], publicPages = [] }) => [...pages, ...setupPages, ...publicPages],
);

it("has no two pages at the same path", () => {
  const paths = allPages.flatMap((page) =>
    "path" in page && page.path !== undefined && !("within" in page) ? [page.path] : [],
  );
  expect(paths.length).toBeGreaterThan(0);
  expect(repeated(paths)).toEqual([]);
});

it("has no two pages with the same shortcut", () => {
  const keys = pagesIn(entries).flatMap(({ goKey }) => (goKey === undefined ? [] : [goKey]));
  expect(keys.length).toBeGreaterThan(0);
  expect(repeated(keys)).toEqual([]);
});

it("shows every page that belongs within another one", () => {
  const inner = allPages.flatMap((page) =>
    "within" in page && page.within !== undefined ? [`${page.within}/${page.path}`] : [],
  );
  expect(inner).toContain("/hosts/:hostID/activity");
  for (const path of inner) expect(matchRoutes(routes, path)?.at(-1)?.route.path).not.toBe("*");
});

it("has a page for everything that the palette offers to add", () => {
  const added = pagesIn(entries).flatMap(({ adds, path }) => (adds === undefined ? [] : [`${path}/add`]));
  expect(added).toContain("/hosts/add");
  for (const path of added) expect(matchRoutes(routes, path)?.at(-1)?.route.path).toBe(path);
});

it("has every page that the documentation links to", () => {
  const docs = join(import.meta.dirname, "../../../docs");
  const served = new Set(["/dev/mail", "/openapi.json"]);
  const linked = readdirSync(docs)
    .filter((file) => file.endsWith(".md"))
    .flatMap((file) => [...readFileSync(join(docs, file), "utf8").matchAll(/\]\((\/[^)#?]*)/g)])
    .flatMap(([, path = ""]) => (path.startsWith("/docs") || served.has(path) ? [] : [path]));
  expect(linked).toContain("/hosts");
  const isMissing = (path: string) => matchRoutes(routes, path)?.at(-1)?.route.path === "*";
  expect(linked.filter(isMissing)).toEqual([]);
  expect(isMissing("/no-such-page")).toBe(true);
});
