const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;
const month = year / 12;

const units = [
  { name: "y", ms: year, from: 2 * year },
  { name: "mo", ms: month, from: 2 * month },
  { name: "d", ms: day, from: 2 * day },
  { name: "h", ms: hour, from: hour },
  { name: "min", ms: minute, from: minute },
  { name: "s", ms: second, from: second },
];

const amounts = /* @__PURE__ */ new Intl.NumberFormat("en");

/** "12 s ago", "3 d ago", "in 9 d", "23 mo ago", "now": short enough for a table. */
export function relativeTime(at: Date, now: Date) {
  const distance = at.getTime() - now.getTime();
  const unit = units.find(({ from }) => Math.abs(distance) >= from);
  if (!unit) return "now";
  const amount = `${amounts.format(Math.floor(Math.abs(distance) / unit.ms))} ${unit.name}`;
  return distance < 0 ? `${amount} ago` : `in ${amount}`;
}

const absolute = /* @__PURE__ */ new Intl.DateTimeFormat("en", {
  dateStyle: "medium",
  timeStyle: "long",
  hourCycle: "h23",
});

export function absoluteTime(at: Date) {
  return absolute.format(at);
}
