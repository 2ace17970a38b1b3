import { act, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderPage } from "../testing/render.tsx";
import { useListState, type ListState } from "./list-state.ts";

type State = ListState<"name" | "createdAt", "status" | "tag">;
let state: State;

function Page({ tell }: { tell: (now: State) => void }) {
  const state = useListState({
    sorts: ["name", "createdAt"],
    filters: { status: ["online", "offline"], tag: "any" },
  });
  tell(state);
  return (
    <label>
      Search
      <input value={state.search} onChange={(event) => state.setSearch(event.currentTarget.value)} />
    </label>
  );
}

const open = (at = "/things") =>
  renderPage(<Page tell={(now) => void (state = now)} />, { route: "/things", at });

it("reads search, filters, order and page from the URL, and requests no more than that", () => {
  open(
    "/things?filter.search=web&filter.status=online&filter.tag=a%3Ab&filter.tag=c%3Ad&sort=-createdAt&cursor=x&pageSize=50",
  );
  expect(state.search).toBe("web");
  expect(state.filters).toEqual({ status: ["online"], tag: ["a:b", "c:d"] });
  expect(state.order).toEqual({ key: "createdAt", descending: true });
  expect(state.isFiltered).toBe(true);
  expect(state.query).toEqual({
    includeCounts: true,
    pageSize: 50,
    cursor: "x",
    sort: "-createdAt",
    "filter.search": "web",
  });
});

it("ignores invalid parameters", () => {
  open("/things?filter.status=purple&sort=-colour&pageSize=7&cursor=&filter.tag=");
  expect(state.filters).toEqual({ status: [], tag: [] });
  expect(state.isFiltered).toBe(false);
  expect(state.query).toEqual({ includeCounts: true, pageSize: 25, sort: "name" });
});

it("keeps every typed letter while the URL lags behind, resets the page, and adds no history entries", async () => {
  const { user, path, router } = open("/things?cursor=x&sort=-name");
  await user.type(screen.getByLabelText("Search"), "we b ");
  expect(screen.getByLabelText<HTMLInputElement>("Search").value).toBe("we b ");
  expect(state.query["filter.search"]).toBe("we b");
  expect(path()).toBe("/things?sort=-name&filter.search=we+b");
  await act(() => router.navigate(-1));
  expect(path()).toBe("/things?sort=-name&filter.search=we+b");
});

it("keeps changes that follow each other before the page is rendered", async () => {
  const { router, path } = open();
  const rendered = state;
  act(() => rendered.setSearch("web"));
  act(() => rendered.write((next) => next.set("host", "one"), { replace: true }));
  act(() => {
    rendered.setFilter("status", ["online"]);
    rendered.setFilter("tag", ["a:b"]);
  });
  expect(path()).toBe("/things?filter.search=web&host=one&filter.status=online&filter.tag=a%3Ab");
  await act(async () => {
    state.setSearch("database");
    await router.navigate("/things?sort=-name");
  });
  act(() => state.setPageSize(50));
  expect(path()).toBe("/things?sort=-name&pageSize=50");
});

it("restores filter, order and search with Back", async () => {
  const { router, path } = open("/things?filter.search=web");
  act(() => state.setFilter("status", ["offline"]));
  act(() => state.sortBy("name"));
  expect(path()).toBe("/things?filter.search=web&filter.status=offline&sort=-name");
  act(() => state.sortBy("createdAt"));
  expect(state.order).toEqual({ key: "createdAt", descending: false });
  act(() => state.clear());
  expect(path()).toBe("/things?sort=createdAt");
  expect(state.search).toBe("");
  await act(() => router.navigate(-1));
  expect(state.search).toBe("web");
  expect(state.filters.status).toEqual(["offline"]);
});

it("goes to the next page, and to the first page when the list changes", () => {
  const { path } = open();
  act(() => state.goTo("second"));
  expect(path()).toBe("/things?cursor=second");
  act(() => state.setPageSize(100));
  expect(path()).toBe("/things?pageSize=100");
  act(() => state.goTo("second"));
  act(() => state.setFilter("tag", ["a:b", "c:d"]));
  expect(path()).toBe("/things?pageSize=100&filter.tag=a%3Ab&filter.tag=c%3Ad");
  act(() => state.goTo("third"));
  act(() => state.dropCursor());
  act(() => state.setPageSize(25));
  expect(path()).toBe("/things?filter.tag=a%3Ab&filter.tag=c%3Ad");
});
