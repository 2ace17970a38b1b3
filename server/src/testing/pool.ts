import { COMMAND_LIMITS, type ConnectionPool, createPool } from "../db/pool.ts";

export const createTestPool = (connectionString: string): ConnectionPool =>
  createPool({ connectionString, limits: COMMAND_LIMITS, onError: () => undefined });
