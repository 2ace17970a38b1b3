import { describe, expect, it } from "vitest";
import { formatPorts, parsePorts, serviceLabel } from "./port-values.ts";
import { services } from "./services.ts";

const parsedText = (text: string) => {
  const parsed = parsePorts(text);
  return "problem" in parsed ? parsed.problem : parsed.ranges.map(formatPorts).join(" ");
};

it.each([
  ["22", "22"],
  [" 8000 - 8010 ", "8000-8010"],
  ["8000–8010", "8000-8010"],
  ["any", "any"],
  ["*", "any"],
  ["ssh", "22"],
  ["SSH", "22"],
  ["node-exporter", "9100"],
  ["22, 80,443 8000-8010", "22 80 443 8000-8010"],
  ["22;22, 22\n80", "22 80"],
  ["5060:5070", "5060-5070"],
])("reads %j as %j", (text, ports) => {
  expect(parsedText(text)).toBe(ports);
});

it.each([
  ["", "Enter ports such as 22, 8000-8010, ssh or any."],
  [" , ", "Enter ports such as 22, 8000-8010, ssh or any."],
  ["0", "Enter ports from 1 to 65535."],
  ["65536", "Enter ports from 1 to 65535."],
  ["22, 99999", "Enter ports from 1 to 65535."],
  ["23-22", "Enter a range from the lower to the higher port."],
  ["sshd", "sshd isn’t a valid port. Enter ports such as 22, 8000-8010, ssh or any."],
  ["-22", "-22 isn’t a valid port. Enter ports such as 22, 8000-8010, ssh or any."],
])("rejects %j", (text, problem) => {
  expect(parsedText(text)).toBe(problem);
});

describe("the services", () => {
  it("are at least sixty, each with a unique name that parses to its ports", () => {
    expect(services.length).toBeGreaterThanOrEqual(60);
    expect(new Set(services.map(({ name }) => name)).size).toBe(services.length);
    for (const { name, from, to } of services) expect(parsedText(name)).toBe(formatPorts({ from, to }));
  });

  it("are found by protocol and port", () => {
    expect(serviceLabel("TCP", { from: 22, to: 22 })).toBe("SSH");
    expect(serviceLabel("ANY", { from: 53, to: 53 })).toBe("DNS");
    expect(serviceLabel("UDP", { from: 22, to: 22 })).toBeUndefined();
    expect(serviceLabel("TCP", { from: 22, to: 23 })).toBeUndefined();
  });
});
