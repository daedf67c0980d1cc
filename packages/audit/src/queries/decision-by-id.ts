/** Returns one decision, or no row. A decision made void by a newer ledger epoch is returned only on request. */
import { id, tenant } from '@mandate/schemas';
import { z } from 'zod';
import { question } from '../question.ts';
import { DECISION_COLUMNS, wholeDecision } from './decision-columns.ts';

export const decisionById = question({
  params: z.strictObject({ tenant, id, includeVoid: z.boolean().default(false) }),
  row: wholeDecision.extend({ void: z.boolean() }),
  sql: () => `
    SELECT ${DECISION_COLUMNS}, payload, void
    FROM decisions FINAL
    WHERE tenant = {tenant:String} AND id = {id:String} AND (NOT void OR {includeVoid:Bool})`,
});
