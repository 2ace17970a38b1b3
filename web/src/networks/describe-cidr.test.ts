import { expect, it } from "vitest";
import { describeCidr, describeIpv6Cidr } from "./describe-cidr.ts";

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

it.each([
  ["", "Leave empty to use a random private /64 (more than a trillion host addresses)."],
  ["fd12", "Enter an IPv6 range such as fd12:3456:789a::/64."],
  ["fd12::", "Enter an IPv6 range such as fd12:3456:789a::/64."],
  ["10.0.0.0/24", "Enter an IPv6 range such as fd12:3456:789a::/64."],
  ["fd12::/47", "Enter a prefix length from /48 to /112."],
  ["fd12::/113", "Enter a prefix length from /48 to /112."],
  ["FD12::7/64", "Enter the start of the range: fd12::/64."],
  ["fe80::/64", "Enter a range inside fc00::/7 (private) or 2000::/3 (public)."],
  [" fd12::/64 ", "More than a trillion host addresses, fd12::1 to fd12::ffff:ffff:ffff:ffff."],
  ["2001:db8:0:0::/88", "More than a trillion host addresses, 2001:db8::1 to 2001:db8::ff:ffff:ffff."],
  ["fd12::/96", "About 4.3 billion host addresses, fd12::1 to fd12::ffff:ffff."],
  ["fd12::/112", "About 66 thousand host addresses, fd12::1 to fd12::ffff."],
])("describes the IPv6 range %j", (text, description) => {
  expect(describeIpv6Cidr(text)).toBe(description);
});
