import { expect, it } from "vitest";
import { enrollCommand, installCommand } from "./agent-commands.ts";

const origin = "https://nebula.example.com";

it("writes the whole command, from the address the console is at", () => {
  expect(installCommand("CODE", origin)).toBe(
    "curl -fsSL https://nebula.example.com/install.sh | sudo sh -s -- --code CODE",
  );
  expect(enrollCommand("CODE", { origin })).toBe(
    "sudo lightkeeper-agent enroll --server https://nebula.example.com --code CODE",
  );
  expect(enrollCommand("CODE")).toContain(`--server ${location.origin} `);
});

it("tells an agent that has keys to give them up", () => {
  expect(enrollCommand("CODE", { origin, isAgain: true })).toMatch(/ --code CODE --force$/);
});

it("keeps a code that begins with a dash from being read as an option", () => {
  expect(installCommand("-CODE", origin)).toMatch(/ --code=-CODE$/);
  expect(enrollCommand("-CODE", { origin })).toMatch(/ --code=-CODE$/);
});
