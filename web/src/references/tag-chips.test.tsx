import { listTags } from "@lightkeeper/contract";
import { screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { renderPage, signIn } from "../testing/render.tsx";
import { tag } from "../testing/samples.ts";
import { page, transport } from "../testing/transport.ts";
import { TagChips, TagLine } from "./tag-chips.tsx";

beforeEach(signIn);

const { firewallRules: _, ...listed } = tag;
const low = { ...listed, name: "low:1", priority: 1 };
const high = { ...listed, name: "high:1", priority: 2 };

it("shows the highest priority first and unknown tags last", async () => {
  transport().on(listTags, ({ query }) => page(query.sort === "-priority" ? [high, low] : [low, high]));
  renderPage(<TagChips tags={["new:1", "low:1", "high:1"]} links />);
  const names = () => screen.getAllByRole("link").map(({ textContent }) => textContent);
  await waitFor(() => expect(names()).toEqual(["high:1", "low:1", "new:1"]));
});

it("shows the highest priority first in a line", async () => {
  transport().on(listTags, () => page([high, low]));
  renderPage(<TagLine tags={["low:1", "high:1"]} />);
  await waitFor(() => expect(screen.getByTitle("high:1, low:1")).toBeDefined());
});

it("loads no tags if there is nothing to sort", async () => {
  const calls = transport().on(listTags, () => page([]));
  renderPage(<TagChips tags={["low:1"]} links />);
  expect(await screen.findByRole("link", { name: "low:1" })).toBeDefined();
  expect(calls.calls(listTags)).toEqual([]);
});
