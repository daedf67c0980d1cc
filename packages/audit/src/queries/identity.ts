/** The identity of this set of tables: a name that changes each time the tables are created again. */
import { z } from 'zod';
import { question } from '../question.ts';

export const identity = question({
  params: z.strictObject({}),
  row: z.object({ id: z.uuid() }),
  sql: () => 'SELECT id FROM identity ORDER BY made_at, id LIMIT 1',
});
