/** Returns who republished a dead letter, and what happened to each record that was published from it. */
import { answersTo, lettersById, republicationsOf } from '@mandate/audit';
import { described, logPosition, time } from '@mandate/schemas';
import { z } from 'zod';
import type { Asker, BoundedAsk } from './bounded-ask.ts';

const answer = z.object({
  kind: described(z.enum(['decision', 'settlement', 'dead-letter']), 'What the record is.'),
  id: described(z.string(), 'The id of the record.', 'dec_01ke6r2v8r0c37d1a2b3c4d5e6f708'),
  agentId: described(z.string().nullable(), 'The agent. null: the record cannot be read.', 'airline-007'),
  actionId: described(z.string().nullable(), 'The action. null: the record cannot be read.', 'act_7f44'),
  attempt: described(z.int().nullable(), 'The attempt. null: the record cannot be read.', 1),
  verdict: described(z.string().nullable(), 'The verdict of a decision. null for other records.', 'ALLOW'),
  code: described(z.string(), 'The code of the record.', 'ALLOWED'),
  reason: described(
    z.string().nullable(),
    'For a dead letter: what is wrong with the new record. null for other records.',
    '/action/attempt must be at least 1',
  ),
});
type Answer = z.output<typeof answer>;

export const republication = z.object({
  id: described(
    z.string(),
    'The id of the command that published it again.',
    'rep_01ke6r2v8q0b1c2d3e4f5a6b7c8d9e',
  ),
  by: described(z.string(), 'The person or the API key that published it again.', 'on call (key_7)'),
  reason: described(z.string(), 'Why, in the words of the operator.', 'attempt counts from 1'),
  at: described(time, 'When it was published again.'),
  corrected: described(
    z.boolean(),
    'Whether the operator changed the record. false: it was published byte for byte.',
    true,
  ),
  source: described(logPosition, 'The log position of the new record.'),
  became: described(answer.nullable(), 'The record that answers the new record. null: none yet.'),
});

/**
 * Returns the republications, oldest first.
 * @param sourceTopic the only topic that the caller may see; absent: all topics
 */
export async function historyOf(
  ask: BoundedAsk,
  asker: Asker,
  { letterId, sourceTopic }: { letterId: string; sourceTopic: string | undefined },
): Promise<z.output<typeof republication>[]> {
  const told = await ask(asker, republicationsOf, { sourceTopic, letterId });
  const ids = told.flatMap(({ answerIds }) => answerIds);
  // On a tenant's own topic, all answers belong to this tenant. A caller that may see every topic may see answers of
  // all tenants.
  const tenants = new Set(told.flatMap(({ tenant }) => tenant ?? []));
  const [letters, ...answered] = await Promise.all([
    ask(asker, lettersById, { sourceTopic, ids }),
    ...[...tenants].map((tenant) => ask(asker, answersTo, { tenant, ids })),
  ]);
  const answers: readonly Answer[] = [
    ...answered.flat().map((row) => ({ ...row, reason: null })),
    ...letters.map(becameLetter),
  ];
  return told.map(({ happenedAt: at, answerIds, sourcePartition, sourceOffset, ...row }) => ({
    id: row.id,
    by: row.by,
    reason: row.reason,
    at,
    corrected: row.corrected,
    source: { topic: row.sourceTopic, partition: sourcePartition, offset: sourceOffset },
    became: answers.find(({ id }) => answerIds.includes(id)) ?? null,
  }));
}

function becameLetter({ id, code, reason }: { id: string; code: string; reason: string }): Answer {
  return {
    kind: 'dead-letter',
    id,
    agentId: null,
    actionId: null,
    attempt: null,
    verdict: null,
    code,
    reason,
  };
}
