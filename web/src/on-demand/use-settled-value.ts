import { useEffect, useMemo, useState } from "react";
import { startTimer } from "../ui/base/timer.ts";

/** The JSON value after a pause without changes, so that typing doesn't send a request per key. */
export function useSettledValue<Value>(value: Value | null, delayMs: number): Value | null {
  const json = JSON.stringify(value);
  const [settled, setSettled] = useState(json);
  useEffect(() => startTimer(() => setSettled(json), delayMs).clear, [json, delayMs]);
  return useMemo(() => JSON.parse(settled) as Value | null, [settled]);
}
