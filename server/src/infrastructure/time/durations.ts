export { DAY_MS, DAY_SECONDS, HOUR_MS, MINUTE_MS, SECOND_MS } from "@lightkeeper/contract/durations";
