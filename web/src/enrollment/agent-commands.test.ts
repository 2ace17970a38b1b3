import { expect, it } from "vitest";
import { enrollCommand, installCommand } from "./agent-commands.ts";

const origin = "https://nebula.example.com";

it("builds the whole command with the console's origin", () => {
  expect(installCommand("CODE", origin)).toBe(
    "curl -fsSL https://nebula.example.com/install.sh | sudo sh -s -- --code CODE",
  );
  expect(enrollCommand("CODE", { origin })).toBe(
    "sudo lightkeeper-agent enroll --server https://nebula.example.com --code CODE",
  );
  expect(enrollCommand("CODE")).toContain(`--server ${location.origin} `);
});

it("forces an enrolled agent to replace its keys", () => {
  expect(enrollCommand("CODE", { origin, isAgain: true })).toMatch(/ --code CODE --force$/);
});

it("keeps a code that starts with a dash from being parsed as an option", () => {
  expect(installCommand("-CODE", origin)).toMatch(/ --code=-CODE$/);
  expect(enrollCommand("-CODE", { origin })).toMatch(/ --code=-CODE$/);
});
