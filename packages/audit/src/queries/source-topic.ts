import { z } from 'zod';

/** Returns only the dead letters of this topic. If it is absent, returns all dead letters. */
export const sourceTopic = z
  .string()
  .regex(/^[\w.-]{1,249}$/)
  .optional();
