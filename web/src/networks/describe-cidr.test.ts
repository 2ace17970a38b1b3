import { expect, it } from "vitest";
import { describeCidr } from "./cidr-words.ts";

it.each([
  ["", "Leave empty for the next free /22: 1,022 addresses for hosts."],
  ["  ", "Leave empty for the next free /22: 1,022 addresses for hosts."],
  ["100.100", "A network is written like 100.100.0.0/22."],
  ["100.100.0.0", "A network is written like 100.100.0.0/22."],
  ["10.0.0.0/7", "The mask must be between /8 and /30."],
  ["10.0.0.0/31", "The mask must be between /8 and /30."],
  ["100.100.1.7/22", "That is an address inside 100.100.0.0/22."],
  ["8.8.8.0/24", "It must lie inside 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10."],
  ["100.100.0.0/22", "Holds 1,022 addresses for hosts: 100.100.0.1 to 100.100.3.254."],
  [" 192.168.4.0/30 ", "Holds 2 addresses for hosts: 192.168.4.1 to 192.168.4.2."],
  ["10.0.0.0/8", "Holds 16,777,214 addresses for hosts: 10.0.0.1 to 10.255.255.254."],
])("describes %j", (text, words) => {
  expect(describeCidr(text)).toBe(words);
});
