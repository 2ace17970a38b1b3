import { describe, expect, it } from "vitest";
import { formatPorts, parsePorts, serviceLabel } from "./ports.ts";
import { services } from "./services.ts";

const written = (text: string) => {
  const parsed = parsePorts(text);
  return "fault" in parsed ? parsed.fault : parsed.ranges.map(formatPorts).join(" ");
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
  expect(written(text)).toBe(ports);
});

it.each([
  ["", "Say which ports: 22, 8000-8010, ssh, or any for all of them."],
  [" , ", "Say which ports: 22, 8000-8010, ssh, or any for all of them."],
  ["0", "Ports go from 1 to 65535."],
  ["65536", "Ports go from 1 to 65535."],
  ["22, 99999", "Ports go from 1 to 65535."],
  ["23-22", "A range goes from the smaller port to the greater."],
  ["sshd", "sshd is no port: write 22, 8000-8010, ssh or any."],
  ["-22", "-22 is no port: write 22, 8000-8010, ssh or any."],
])("refuses %j", (text, fault) => {
  expect(written(text)).toBe(fault);
});

describe("the services", () => {
  it("are about sixty, each with a name of its own that is read back as its ports", () => {
    expect(services.length).toBeGreaterThanOrEqual(60);
    expect(new Set(services.map(({ name }) => name)).size).toBe(services.length);
    for (const { name, from, to } of services) expect(written(name)).toBe(formatPorts({ from, to }));
  });

  it("are known by protocol and port", () => {
    expect(serviceLabel("TCP", { from: 22, to: 22 })).toBe("SSH");
    expect(serviceLabel("ANY", { from: 53, to: 53 })).toBe("DNS");
    expect(serviceLabel("UDP", { from: 22, to: 22 })).toBeUndefined();
    expect(serviceLabel("TCP", { from: 22, to: 23 })).toBeUndefined();
  });
});
