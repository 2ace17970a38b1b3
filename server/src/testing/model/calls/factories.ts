import type { Call } from "../call.ts";
import type { Choices } from "../choices.ts";
import type { State } from "../state.ts";

/** Creates a call from the choices of a step; undefined if there is nothing to call it with. */
export type CallFactory = (state: State, choices: Choices) => Call | undefined;
export type CallFactories = Record<string, CallFactory>;
