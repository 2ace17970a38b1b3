import { expect, it } from "vitest";
import { config, parseConfig } from "./config.ts";

it("uses local defaults on its own origin when the page carries no configuration", () => {
  expect(parseConfig("", "http://localhost:3000")).toEqual({
    environment: "local",
    apiURL: "http://localhost:3000",
    supportEmail: "support@lightkeeper.example",
    marketingURL: "https://lightkeeper.example",
    docsURL: "/docs/",
    hasPlans: false,
    version: "dev",
  });
  expect(config.apiURL).toBe(location.origin);
});

it("reads the configuration that the server wrote into the page: one fixed API base host [S7.27]", () => {
  const content = JSON.stringify({
    environment: "alpha",
    apiURL: "https://api.example.com",
    version: "1.2.3",
  });
  expect(parseConfig(content, "https://console.example.com")).toMatchObject({
    environment: "alpha",
    apiURL: "https://api.example.com",
    version: "1.2.3",
    docsURL: "/docs/",
  });
});

it("has no marketing site unless the server configures one", () => {
  const { marketingURL } = parseConfig(
    JSON.stringify({ environment: "alpha" }),
    "https://console.example.com",
  );
  expect(marketingURL).toBeUndefined();
});
