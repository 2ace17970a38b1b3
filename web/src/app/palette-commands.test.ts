import { expect, it } from "vitest";
import { entries, visibleEntries } from "./navigation.ts";
import { commandGroups, matching, type Command } from "./palette-commands.ts";

const registered = new Set([
  "/hosts",
  "/tags",
  "/certificate-authorities",
  "/settings/networks",
  "/settings/user",
]);

function groups({
  flags = {},
  isTypeUser = true,
  isReadOnly = false,
  networkFilter = null as string | null,
} = {}) {
  return commandGroups({
    entries: visibleEntries(entries, { registered, flags }),
    networkFilter,
    isTypeUser,
    isReadOnly,
    registered,
  });
}
const labels = (commands: readonly Command[] = []) => commands.map(({ label }) => label);

it("goes to every page the person gets to see, and to no other", () => {
  expect(labels(groups()[0]?.commands)).toEqual(["Hosts", "Tags", "Networks", "User settings"]);
  expect(labels(groups({ isTypeUser: false })[0]?.commands)).not.toContain("User settings");
  const flags = { LIST_CERT_AUTHORITIES: true };
  expect(labels(groups({ flags })[0]?.commands)).toContain("Certificate Authorities");
});

it("carries the network filter and names the keys that do the same [S2.26]", () => {
  expect(groups({ networkFilter: "network-1" })[0]?.commands[0]).toMatchObject({
    to: "/hosts?filter.networkID=network-1",
    keys: "g h",
  });
});

it("adds what has a list, and logs out", () => {
  expect(labels(groups()[1]?.commands)).toEqual([
    "Add host",
    "Add tag",
    "Add network",
    "Add several hosts",
    "Reorder tags",
    "Get started",
    "Log out",
  ]);
});

it("offers an auditor nothing that changes something", () => {
  expect(labels(groups({ isReadOnly: true })[1]?.commands)).toEqual(["Get started", "Log out"]);
});

it("finds by every word, in label and other words, and puts what begins with them first", () => {
  const all = groups().flatMap(({ commands }) => commands);
  expect(labels(matching(all, "HOST"))).toEqual(["Hosts", "Add host", "Add several hosts"]);
  expect(labels(matching(all, " create  tag "))).toEqual(["Add tag"]);
  expect(labels(matching(all, "sign"))).toEqual(["Log out"]);
  expect(matching(all, "nothing of this")).toEqual([]);
  expect(matching(all, "")).toHaveLength(all.length);
});
