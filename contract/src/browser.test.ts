import { expect, it } from "vitest";
import { describeBrowser } from "./browser.ts";

const mozilla = (system: string, rest: string) => `Mozilla/5.0 (${system}) ${rest}`;
const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";

it.each([
  [mozilla("X11; Linux x86_64; rv:133.0", "Gecko/20100101 Firefox/133.0"), "Firefox on Linux"],
  [mozilla("Windows NT 10.0; Win64; x64", `${webkit} Chrome/131.0.0.0 Safari/537.36`), "Chrome on Windows"],
  [
    mozilla("Windows NT 10.0; Win64; x64", `${webkit} Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0`),
    "Edge on Windows",
  ],
  [
    mozilla("Macintosh; Intel Mac OS X 10_15_7", "AppleWebKit/605.1.15 Version/18.1 Safari/605.1.15"),
    "Safari on macOS",
  ],
  [
    mozilla(
      "iPhone; CPU iPhone OS 18_1 like Mac OS X",
      "AppleWebKit/605.1.15 CriOS/131.0 Mobile Safari/604.1",
    ),
    "Chrome on iPhone",
  ],
  [
    mozilla("Linux; Android 15; Pixel 9", `${webkit} Chrome/131.0.0.0 Mobile Safari/537.36`),
    "Chrome on Android",
  ],
  ["curl/8.5.0", "curl"],
  ["node", "Unknown browser"],
  ["", "Unknown browser"],
  [null, "Unknown browser"],
])("describes %j as %s", (userAgent, name) => {
  expect(describeBrowser(userAgent)).toBe(name);
});
