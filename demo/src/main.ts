/** The demo's process. */
import { runDemo } from "./demo.ts";
import { runProgram } from "./run-program.ts";

await runProgram(runDemo);
