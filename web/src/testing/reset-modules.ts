/** Gives each test file its own modules of the console; React and other packages stay loaded. */
import { vi } from "vitest";

vi.resetModules();
