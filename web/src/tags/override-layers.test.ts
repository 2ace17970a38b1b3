import { expect, it } from "vitest";
import { effectiveOverrides, rivals } from "./override-layers.ts";

const mtu = (value: number) => [{ key: "tun.mtu", value }];
const weak = { name: "weak:1", configOverrides: mtu(1400) };
const strong = { name: "strong:1", configOverrides: [...mtu(1500), { key: "routines", value: 2 }] };

it("hears the host over its tags, and a stronger tag over a weaker one", () => {
  expect(effectiveOverrides([weak, strong], mtu(9000))).toEqual([
    { key: "routines", tag: "strong:1", value: 2, over: [] },
    {
      key: "tun.mtu",
      tag: undefined,
      value: 9000,
      over: [
        { tag: "weak:1", value: 1400 },
        { tag: "strong:1", value: 1500 },
      ],
    },
  ]);
  expect(effectiveOverrides([weak, strong], [])[1]).toMatchObject({ tag: "strong:1", value: 1500 });
});

it("knows which tags win over one, and over which it wins", () => {
  expect(rivals([weak, strong], "weak:1", "tun.mtu")).toEqual({
    weaker: [],
    stronger: [{ tag: "strong:1", value: 1500 }],
  });
  expect(rivals([weak, strong], "strong:1", "tun.mtu").weaker).toEqual([{ tag: "weak:1", value: 1400 }]);
  expect(rivals([weak, strong], undefined, "tun.mtu")).toMatchObject({ stronger: [] });
  expect(rivals([weak, strong], undefined, "tun.mtu").weaker).toHaveLength(2);
  expect(rivals([weak, strong], "weak:1", "routines").stronger).toHaveLength(1);
});
