/** Loaded before a program of Node: shifts what it takes for the time, and what it tells others of it. */
import { ServerResponse } from "node:http";

const offset = Number(process.env.CLOCK_OFFSET_SECONDS) * 1000;
const RightDate = Date;
const now = () => RightDate.now() + offset;

globalThis.Date = new Proxy(RightDate, {
  construct: (target, args, as) => Reflect.construct(target, args.length > 0 ? args : [now()], as),
  get: (target, key) => (key === "now" ? now : Reflect.get(target, key)),
});

// Node writes this header by its own clock.
const writeHead = Reflect.get(ServerResponse.prototype, "writeHead");
ServerResponse.prototype.writeHead = function (...args) {
  this.setHeader("Date", new Date().toUTCString());
  return Reflect.apply(writeHead, this, args);
};
