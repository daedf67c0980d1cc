import { z } from 'zod';

/** Whose dead letters: of the topic they came from. Absent: all of them. */
export const sourceTopic = z
  .string()
  .regex(/^[\w.-]{1,249}$/)
  .optional();
