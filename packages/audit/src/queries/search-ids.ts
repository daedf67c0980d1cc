/**
 * Finds decisions by their own id or by the id of their action, newest first. The id is given whole, or its beginning. A
 * beginning is searched only since `sinceMs`, because no index finds it.
 */
import { described, id, tenant, time, VERDICTS } from '@mandate/schemas';
import { z } from 'zod';
import { question } from '../question.ts';

export const searchIds = question({
  params: z.strictObject({
    tenant,
    text: z.string().min(1).max(200),
    sinceMs: z.int().min(0),
    limit: z.int().min(1).max(50).default(10),
  }),
  row: z.object({
    id: described(id, 'The decision.', 'dec_01ke6qxba079817457defc4972b9f9'),
    agentId: described(z.string(), 'The agent that asked.', 'airline-007'),
    actionId: described(z.string(), 'The action.', 'act_7f41'),
    attempt: described(z.int(), 'The attempt, from 1.', 1),
    subject: described(
      z.string().nullable(),
      'The tool, model or other subject of the action. null: it has none.',
      'refund',
    ),
    verdict: described(z.enum(VERDICTS), 'What was decided.'),
    decidedAt: described(time, 'When it was decided.'),
  }),
  sql: () => `
    SELECT id, agent_id AS agentId, action_id AS actionId, attempt, nullIf(subject, '') AS subject, verdict,
      decided_at AS decidedAt
    FROM decisions FINAL
    WHERE tenant = {tenant:String} AND NOT void AND (
      id = {text:String} OR action_id = {text:String} OR (
        decided_at >= fromUnixTimestamp64Milli({sinceMs:Int64}, 'UTC')
        AND (startsWith(id, {text:String}) OR startsWith(action_id, {text:String}))
      )
    )
    ORDER BY decided_at DESC, id DESC
    LIMIT {limit:UInt32}`,
});
