import { expect, it } from "vitest";
import { describeCidr } from "./describe-cidr.ts";

it.each([
  ["", "Leave empty to use the next free /22 (1,022 host addresses)."],
  ["  ", "Leave empty to use the next free /22 (1,022 host addresses)."],
  ["100.100", "Enter a range such as 100.100.0.0/22."],
  ["100.100.0.0", "Enter a range such as 100.100.0.0/22."],
  ["10.0.0.0/7", "Enter a prefix length from /8 to /30."],
  ["10.0.0.0/31", "Enter a prefix length from /8 to /30."],
  ["100.100.1.7/22", "Enter the start of the range: 100.100.0.0/22."],
  ["8.8.8.0/24", "Enter a range inside 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10."],
  ["100.100.0.0/22", "1,022 host addresses, 100.100.0.1 to 100.100.3.254."],
  [" 192.168.4.0/30 ", "2 host addresses, 192.168.4.1 to 192.168.4.2."],
  ["10.0.0.0/8", "16,777,214 host addresses, 10.0.0.1 to 10.255.255.254."],
])("describes %j", (text, description) => {
  expect(describeCidr(text)).toBe(description);
});
