import { listTags, updateTag, type TagListItem } from "@lightkeeper/contract";
import { screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { renderPage, signIn } from "../testing/render.tsx";
import { tag } from "../testing/samples.ts";
import { failure, page, transport } from "../testing/transport.ts";
import { TagReorderPage } from "./tag-reorder-page.tsx";

vi.setConfig({ testTimeout: 60_000 });
beforeEach(signIn);

const { firewallRules: _, ...listed } = tag;
const named = (name: string, priority: number): TagListItem => ({
  ...listed,
  name,
  priority,
  description: `About ${name}`,
  configOverrides: [{ key: "tun.mtu", value: 1400 }],
  routeSubscriptions: [],
});
const tags = [named("a:1", 1), named("b:2", 2), named("c:3", 3)];

/** A server that stores the order of tags, lowest priority first. */
function api() {
  let order = tags;
  return transport()
    .on(listTags, ({ query }) => page(query.sort === "-priority" ? order.toReversed() : order))
    .on(updateTag, ({ params, body }) => {
      const one = order.find(({ name }) => name === params.tag)!;
      const rest = order.filter(({ name }) => name !== params.tag);
      const at = rest.findIndex(({ name }) => name === (body.before ?? body.after));
      order = rest.toSpliced(body.before === undefined ? at + 1 : at, 0, one);
      return { ...tag, ...one };
    });
}
const open = () => renderPage(<TagReorderPage />, { route: "/tags/reorder" });
const order = () => screen.getAllByRole("link", { name: /^.:\d$/ }).map(({ textContent }) => textContent);
const handle = (name: string) => screen.findByRole("button", { name: `Move ${name}` });

it("shows the highest priority first, between labels for both ends", async () => {
  api();
  open();
  expect(await screen.findByRole("list", { name: "Tags, highest priority first" })).toBeDefined();
  expect(order()).toEqual(["c:3", "b:2", "a:1"]);
  const ends = screen.getAllByText(/^(Highest|Lowest) priority$/);
  expect(ends.map(({ textContent }) => textContent)).toEqual(["Highest priority", "Lowest priority"]);
});

it("moves a tag by keyboard and saves its new position with all of its values [S2.13] [S3.6]", async () => {
  const calls = api();
  const { user } = open();
  (await handle("c:3")).focus();
  await user.keyboard(" {ArrowDown}{ArrowDown} ");
  expect(order()).toEqual(["b:2", "a:1", "c:3"]);
  expect(await screen.findByText("Tag c:3 moved")).toBeDefined();
  expect(calls.calls(updateTag)).toHaveLength(1);
  expect(calls.calls(updateTag)[0]).toMatchObject({
    params: { tag: "c:3" },
    body: {
      description: "About c:3",
      configOverrides: [{ key: "tun.mtu", value: 1400 }],
      routeSubscriptions: [],
      before: "a:1",
    },
  });
  await waitFor(() => expect(order()).toEqual(["b:2", "a:1", "c:3"]));
  expect(calls.calls(updateTag)[0]?.body).not.toHaveProperty("firewallRules");
  expect(document.title).toBe("Reorder tags - Lightkeeper");
});

it("moves a tag above the first, and back on Undo", async () => {
  const calls = api();
  const { user } = open();
  (await handle("a:1")).focus();
  await user.keyboard(" {Home} ");
  await user.click(await screen.findByRole("button", { name: "Undo" }));
  await waitFor(() => expect(order()).toEqual(["c:3", "b:2", "a:1"]));
  await waitFor(() => expect(calls.calls(updateTag)).toHaveLength(2));
  expect(calls.calls(updateTag).map(({ body: { before, after } }) => ({ before, after }))).toEqual([
    { after: "c:3" },
    { before: "b:2" },
  ]);
});

it("saves one move after the other", async () => {
  const calls = api();
  const { user } = open();
  (await handle("c:3")).focus();
  await user.keyboard(" {End} ");
  (await handle("b:2")).focus();
  await user.keyboard(" {End} ");
  expect(await screen.findByText("Tag b:2 moved")).toBeDefined();
  expect(calls.calls(updateTag).map(({ params }) => params.tag)).toEqual(["c:3", "b:2"]);
  await waitFor(() => expect(order()).toEqual(["a:1", "c:3", "b:2"]));
});

it("restores the order if a tag can’t be moved, and says why", async () => {
  api().on(updateTag, () => {
    throw failure("ERR_INVALID_REFERENCE", { path: "before" });
  });
  const { user } = open();
  (await handle("c:3")).focus();
  await user.keyboard(" {End} ");
  expect(await screen.findByText(/^Couldn’t move tag c:3: before: /)).toBeDefined();
  await waitFor(() => expect(order()).toEqual(["c:3", "b:2", "a:1"]));
});

it("says what to do if there are no tags", async () => {
  transport().on(listTags, () => page([]));
  open();
  expect(await screen.findByRole("heading", { name: "No tags yet" })).toBeDefined();
});
