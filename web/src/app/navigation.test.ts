import { describe, expect, it } from "vitest";
import { SettingsIcon } from "../ui/base/icons.tsx";
import { entries, group, groupAt, hrefOf, visibleEntries, type Entry, type PageEntry } from "./navigation.ts";

const everyPath = new Set(
  entries
    .flatMap((entry) => (entry.kind === "group" ? entry.children : [entry]))
    .flatMap((entry) => ("path" in entry ? [entry.path] : [])),
);
const labels = (list: readonly Entry[]) => list.map(({ label }) => label);
const childrenOf = (list: readonly Entry[], label: string) => {
  const found = list.find((entry) => entry.label === label);
  return found?.kind === "group" ? found.children.map((child) => child.label) : undefined;
};
const pageAt = (path: string) =>
  entries.find((entry): entry is PageEntry => entry.kind === "page" && entry.path === path)!;

describe("the list", () => {
  it("has every entry in the order of the specification [S2.25]", () => {
    const all = visibleEntries(entries, { registered: everyPath, flags: { LIST_CERT_AUTHORITIES: true } });
    expect(labels(all)).toEqual([
      "Hosts",
      "Lighthouses",
      "Relays",
      "Routes",
      "Roles",
      "Certificate Authorities",
      "Tags",
      "Logs",
      "Settings",
      "Support",
    ]);
  });

  it("groups settings and support [S2.27]", () => {
    const paths = entries.flatMap((entry) => (entry.kind === "group" ? entry.children : []));
    expect(paths.map((entry) => (entry.kind === "page" ? entry.path : entry.url))).toEqual([
      "/settings/billing",
      "/settings/networks",
      "/settings/api-keys",
      "/settings/sso",
      // Beyond the specification, and therefore after its entries.
      "/settings/members",
      "/settings/organization",
      "/docs/",
      "/support/contact",
      "/downloads",
    ]);
    expect(childrenOf(entries, "Support")).toEqual(["Documentation", "Contact us", "Downloads"]);
  });

  it.each([{}, { LIST_CERT_AUTHORITIES: false }, { LIST_CERT_AUTHORITIES: "yes" }])(
    "leaves certificate authorities out unless their flag is on [S2.25]",
    (flags) => {
      expect(labels(visibleEntries(entries, { registered: everyPath, flags }))).not.toContain(
        "Certificate Authorities",
      );
    },
  );

  it("shows only pages that exist, and no empty group", () => {
    const some = visibleEntries(entries, { registered: new Set(["/hosts"]), flags: {} });
    expect(labels(some)).toEqual(["Hosts", "Support"]);
    expect(childrenOf(some, "Support")).toEqual(["Documentation"]);
  });
});

describe("a link", () => {
  it.each(["/hosts", "/lighthouses", "/relays"])(
    "to %s carries the network last filtered by [S2.26]",
    (path) => {
      expect(hrefOf(pageAt(path), "network-A")).toBe(`${path}?filter.networkID=network-A`);
      expect(hrefOf(pageAt(path), null)).toBe(path);
    },
  );

  it("to another page has no filter [S2.26]", () => {
    expect(hrefOf(pageAt("/roles"), "network-A")).toBe("/roles");
  });
});

describe("a group", () => {
  const child = (label: string) => ({ kind: "external", label, url: "https://example.com" }) as const;

  it.each([0, 7])("with %i children throws [S2.28]", (count) => {
    const children = Array.from({ length: count }, (_, index) => child(String(index)));
    expect(() => group("Settings", SettingsIcon, children)).toThrow(
      "The group Settings needs 1 to 6 children",
    );
  });

  it.each([1, 6])("may have %i children [S2.28]", (count) => {
    const children = Array.from({ length: count }, (_, index) => child(String(index)));
    expect(group("Settings", SettingsIcon, children).children).toHaveLength(count);
  });

  it.each([
    ["/settings/networks", "Settings"],
    ["/settings/networks/add", "Settings"],
    ["/settings/networksque", undefined],
    ["/settings/members/invite", "Settings"],
    ["/settings/organization", "Settings"],
    ["/settings/user", undefined],
    ["/downloads", "Support"],
    ["/hosts", undefined],
  ])("at %s is %s [S2.28]", (pathname, label) => {
    expect(groupAt(entries, pathname)).toBe(label);
  });
});
