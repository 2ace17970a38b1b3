import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { config } from "../lib/config.ts";
import type { AuthHandle } from "../lib/feature.ts";
import { renderRoutes } from "../testing/render.tsx";
import { transport } from "../testing/transport.ts";
import { AuthLayout } from "./auth-layout.tsx";
import { Environment } from "./environment.tsx";

function show(at: string, handle?: AuthHandle) {
  transport();
  return renderRoutes(
    [{ Component: AuthLayout, children: [{ path: "*", element: <h1>Page</h1>, handle }] }],
    at,
  );
}

describe("the logo [S2.4]", () => {
  it.each(["/signup", "/signup/anything", "/auth/login"])("links out to the company's home on %s", (at) => {
    show(at);
    const link = screen.getByRole("link", { name: "Lightkeeper home" });
    expect(link.getAttribute("href")).toBe("https://lightkeeper.example");
  });

  it.each(["/auth/mfa", "/auth/login/org-A", "/get-started", "/signupper"])(
    "links to the start on %s",
    (at) => {
      show(at);
      expect(screen.getByRole("link", { name: "Home" }).getAttribute("href")).toBe("/");
    },
  );

  it("links to the start page everywhere when the server has no marketing site", () => {
    const website = config.marketingURL;
    config.marketingURL = undefined;
    try {
      show("/auth/login");
      expect(screen.getByRole("link", { name: "Home" }).getAttribute("href")).toBe("/");
    } finally {
      config.marketingURL = website;
    }
  });

  it("is 32 high in a view box of 120 by 32 [S9.8]", () => {
    show("/auth/login");
    const logo = screen.getByRole("link").querySelector("svg")!;
    expect(logo.getAttribute("height")).toBe("32");
    expect(logo.getAttribute("viewBox")).toBe("0 0 120 32");
  });
});

describe("the layout [S2.4]", () => {
  it("has text beside the logo when the route has one", () => {
    show("/get-started", { headerText: "Get started" });
    expect(screen.getByRole("banner").textContent).toContain("Get started");
  });

  it("centers the main content when the route asks for it", () => {
    const { unmount } = show("/auth/login", { centered: true });
    const centered = screen.getByRole("main").className;
    unmount();
    show("/auth/login");
    expect(screen.getByRole("main").className).not.toBe(centered);
  });
});

describe("the environment badge [S1.3]", () => {
  it.each([
    ["local", "Local"],
    ["preview", "Preview"],
    ["alpha", "Alpha"],
  ] as const)("in %s reads %s", (environment, name) => {
    render(<Environment environment={environment} />);
    expect(screen.getByText(name)).toBeTruthy();
  });

  it("is absent in production", () => {
    expect(render(<Environment environment="production" />).container.textContent).toBe("");
  });
});
