import { expect, it } from "vitest";
import { effectiveOverrides, rivals } from "./override-layers.ts";

const mtu = (value: number) => [{ key: "tun.mtu", value }];
const low = { name: "low:1", configOverrides: mtu(1400) };
const high = { name: "high:1", configOverrides: [...mtu(1500), { key: "routines", value: 2 }] };

it("takes the host over its tags, and a tag of higher priority over one of lower", () => {
  expect(effectiveOverrides([high, low], mtu(9000))).toEqual([
    { key: "routines", tag: "high:1", value: 2, over: [] },
    {
      key: "tun.mtu",
      tag: undefined,
      value: 9000,
      over: [
        { tag: "high:1", value: 1500 },
        { tag: "low:1", value: 1400 },
      ],
    },
  ]);
  expect(effectiveOverrides([high, low], [])[1]).toMatchObject({ tag: "high:1", value: 1500 });
});

it("knows which tags win over one, and over which it wins", () => {
  expect(rivals([high, low], "low:1", "tun.mtu")).toEqual({
    lower: [],
    higher: [{ tag: "high:1", value: 1500 }],
  });
  expect(rivals([high, low], "high:1", "tun.mtu")).toEqual({
    lower: [{ tag: "low:1", value: 1400 }],
    higher: [],
  });
  expect(rivals([high, low], undefined, "tun.mtu")).toMatchObject({ higher: [] });
  expect(rivals([high, low], undefined, "tun.mtu").lower).toHaveLength(2);
  expect(rivals([high, low], "low:1", "routines").higher).toHaveLength(1);
});
