import { z } from 'zod';

/** Only the dead letters of this topic. Absent: all of them. */
export const sourceTopic = z
  .string()
  .regex(/^[\w.-]{1,249}$/)
  .optional();
