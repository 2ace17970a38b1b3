import { listHostsV2, type HostV2 } from "@lightkeeper/contract";
import { screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { openPalette, options, server, signInBeforeEach } from "../testing/command-palette.tsx";
import { host } from "../testing/samples.ts";
import { page } from "../testing/transport.ts";
import { parseReachQuestion } from "./access.palette.ts";

signInBeforeEach();

const named = (name: string, networkID = host.networkID): HostV2 => ({
  ...host,
  id: `host-${name}`,
  name,
  networkID,
});
const hosts = [named("db-01"), named("db-01-staging", `network-${"B".repeat(26)}`), named("web-01")];

async function typed(text: string) {
  const palette = await openPalette();
  server.on(listHostsV2, ({ query }) =>
    page(hosts.filter(({ name }) => name.includes(query["filter.search"] ?? ""))),
  );
  await palette.user.keyboard(text);
  return palette;
}

it.each([
  ["can web-01 reach db-01", { source: "web-01", destination: "db-01" }],
  ["Can web-01 reach db-01?", { source: "web-01", destination: "db-01" }],
  ["can web-01 reach ", { source: "web-01", destination: "" }],
  ["can web-01", { source: "web-01", destination: "" }],
])("reads the question “%s”", (text, question) => {
  expect(parseReachQuestion(text)).toEqual(question);
});

it.each(["can", "canary-1", "web-01", "can web-01 reach db-01 now"])("reads no question in “%s”", (text) => {
  expect(parseReachQuestion(text)).toBeUndefined();
});

it("offers to check whether a host reaches another, hosts of the same network first", async () => {
  const { dialog, user, path } = await typed("can web-01 reach db-01");
  await dialog.findByRole("option", { name: /^Can web-01 reach db-01\?/ });
  const [first, second] = options().filter((option) => option?.startsWith("Can "));
  expect(first).toContain("Can web-01 reach db-01?");
  expect(second).toContain("Can web-01 reach db-01-staging?");
  await user.click(dialog.getByRole("option", { name: /^Can web-01 reach db-01\?/ }));
  await waitFor(() => expect(path()).toBe("/access?source=host-web-01&destination=host-db-01"));
});

it("offers to check access from a host before the destination is typed", async () => {
  const { dialog } = await typed("can web-01 reach");
  const option = await dialog.findByRole("option", { name: /^Check access from web-01/ });
  expect(option.getAttribute("href")).toBe("/access?source=host-web-01");
});

it("offers nothing if a name matches no host", async () => {
  const { dialog } = await typed("can web-01 reach nothing");
  expect(await dialog.findByText(/^No results for/)).toBeDefined();
  expect(screen.queryByRole("option", { name: /^Can web-01/ })).toBeNull();
});

it.each([
  ["check acc", "Check access", "/access"],
  ["matrix", "Access matrix", "/access/matrix"],
])("opens the pages: %s", async (text, label, target) => {
  const { dialog } = await typed(text);
  const option = await dialog.findByRole("option", { name: label });
  expect(option.getAttribute("href")).toBe(target);
});
