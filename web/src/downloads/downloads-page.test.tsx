import { getDownloads, type Downloads } from "@lightkeeper/contract";
import { screen, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { renderPage, signIn } from "../testing/render.tsx";
import { failure, transport } from "../testing/transport.ts";
import { DownloadsPage } from "./downloads-page.tsx";

beforeEach(signIn);

const file = (name: string) => `https://console.example/downloads/files/lightkeeper-agent-${name}`;
const sha256 = (digit: string) => digit.repeat(64);
const newest = { node: file("0.10.0.mjs"), "linux-amd64": file("0.10.0-linux-amd64") };
const old = { "linux-amd64": file("0.9.0-rc.1%2B0a-linux-amd64") };

const downloads: Downloads = {
  dnclient: { latest: newest, "0.10.0": newest, "0.9.0-rc.1+0a": old },
  mobile: {},
  container: {},
  versionInfo: {
    dnclient: {
      "0.10.0": { latest: true, releaseDate: "2026-11-15" },
      "0.9.0-rc.1+0a": { latest: false, releaseDate: "2026-01-31" },
    },
    latest: { dnclient: "0.10.0" },
  },
  checksums: {
    [newest.node]: sha256("a"),
    [newest["linux-amd64"]]: sha256("b"),
    [old["linux-amd64"]]: sha256("c"),
  },
};
const nothing: Downloads = {
  dnclient: {},
  mobile: {},
  container: {},
  versionInfo: { dnclient: {}, latest: {} },
  checksums: {},
};

const open = (answer: Downloads = downloads) => {
  transport().on(getDownloads, () => answer);
  return renderPage(<DownloadsPage />, { route: "/downloads" });
};
const card = async (name: string) => within(await screen.findByRole("region", { name }));

it("lists the newest agent with the platform and SHA-256 of each file [S2.16]", async () => {
  const { user } = open();
  const latest = await card("Agent 0.10.0");
  const files = latest.getAllByRole("listitem");
  expect(files.map((item) => within(item).getByRole("link").getAttribute("href"))).toEqual([
    newest["linux-amd64"],
    newest.node,
  ]);
  expect(files[0]?.textContent).toContain("Linux x86-64");
  expect(files[0]?.textContent).toContain(sha256("b"));
  expect(latest.getByText("Nov 15, 2026")).toBeDefined();
  expect(document.title).toBe("Downloads - Lightkeeper");
  await user.click(
    latest.getByRole("button", { name: "Copy SHA-256 of lightkeeper-agent-0.10.0-linux-amd64" }),
  );
  expect(await navigator.clipboard.readText()).toBe(sha256("b"));
});

it("copies the command of the install script", async () => {
  const { user } = open();
  await user.click(await screen.findByRole("button", { name: "Copy install command" }));
  expect(await navigator.clipboard.readText()).toBe(`curl -fsSL ${location.origin}/install.sh | sudo sh`);
  expect(screen.getByRole("link", { name: "View the install script" }).getAttribute("href")).toBe(
    "/install.sh",
  );
});

it("has commands for each platform that verify the download before installing it", async () => {
  const { user } = open();
  await user.click(await screen.findByRole("tab", { name: "Linux x86-64" }));
  await user.click(await screen.findByRole("button", { name: "Copy install commands for Linux x86-64" }));
  expect(await navigator.clipboard.readText()).toBe(
    [
      `curl -fsSLO ${newest["linux-amd64"]} &&`,
      `echo "${sha256("b")}  lightkeeper-agent-0.10.0-linux-amd64" | sha256sum -c &&`,
      "sudo install -m 755 lightkeeper-agent-0.10.0-linux-amd64 /usr/local/bin/lightkeeper-agent",
    ].join("\n"),
  );
  await user.click(screen.getByRole("tab", { name: "Linux with Node" }));
  expect(await screen.findByText(/sudo node .*lightkeeper-agent\.mjs enroll --server/)).toBeDefined();
});

it("lists older versions", async () => {
  open();
  const older = await card("Older versions");
  expect(older.getByText("0.9.0-rc.1+0a")).toBeDefined();
  const link = older.getByText("lightkeeper-agent-0.9.0-rc.1+0a-linux-amd64").closest("a");
  expect(link?.getAttribute("href")).toBe(old["linux-amd64"]);
  expect(older.getByText(sha256("c"))).toBeDefined();
});

it("links to Nebula, and to phone and container clients where available", async () => {
  open({
    ...downloads,
    mobile: { android: "https://store.example/app" },
    container: { docker: "example/agent" },
  });
  const nebula = await card("Nebula");
  expect(nebula.getByRole("link", { name: "Nebula’s releases" }).getAttribute("href")).toBe(
    "https://github.com/slackhq/nebula/releases",
  );
  expect(nebula.getByRole("link", { name: "Android" }).getAttribute("href")).toBe(
    "https://store.example/app",
  );
  expect(nebula.queryByRole("link", { name: "iPhone and iPad" })).toBeNull();
  expect(nebula.getByText("example/agent")).toBeDefined();
});

it("shows how to build the agent if there is none", async () => {
  open(nothing);
  expect(await screen.findByRole("heading", { name: "No agent built yet" })).toBeDefined();
  expect(screen.getByText("npm run build:agent")).toBeDefined();
});

it("shows what failed and retries", async () => {
  const api = transport().on(getDownloads, () => {
    throw failure("ERR_UNAVAILABLE", {}, "request-9");
  });
  const { user } = renderPage(<DownloadsPage />, { route: "/downloads" });
  expect((await screen.findByRole("alert")).textContent).toContain("request-9");
  api.on(getDownloads, () => downloads);
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(await card("Agent 0.10.0")).toBeDefined();
});

it("shows that the executables are being built, and updates when they are ready", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const { node } = newest;
  const bundleOnly = { latest: { node }, "0.10.0": { node } };
  open({ ...downloads, dnclient: bundleOnly, build: { state: "building" } });
  expect((await screen.findByRole("status")).textContent).toMatch(/^The server is building the executables/);
  expect((await card("Agent 0.10.0")).getAllByRole("listitem")).toHaveLength(1);
  transport().on(getDownloads, () => downloads);
  await vi.advanceTimersByTimeAsync(3000);
  await vi.waitFor(() => expect(screen.queryByRole("status")).toBeNull());
  expect((await card("Agent 0.10.0")).getAllByRole("listitem")).toHaveLength(2);
  vi.useRealTimers();
});

it("shows why the executables could not be built", async () => {
  open({ ...downloads, build: { state: "failed", reason: "Can't download postject 1.0.0: ENOTFOUND" } });
  const { textContent } = await screen.findByRole("status");
  expect(textContent).toContain(
    "couldn’t build the executables for Linux. Can't download postject 1.0.0: ENOTFOUND",
  );
});
