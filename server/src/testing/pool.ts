import { COMMAND_LIMITS, type ConnectionPool, createPool } from "../infrastructure/db/pool.ts";

export const createTestPool = (connectionString: string): ConnectionPool =>
  createPool({ connectionString, limits: COMMAND_LIMITS, onError: () => undefined });
