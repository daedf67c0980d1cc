/** Who republished a dead letter, and what happened to each record that was published from it. */
import { answersTo, lettersById, republicationsOf } from '@mandate/audit';
import { logPosition, time } from '@mandate/schemas';
import { z } from 'zod';
import type { Asker, BoundedAsk } from './bounded-ask.ts';

const answer = z.object({
  kind: z.enum(['decision', 'settlement', 'dead-letter']),
  id: z.string(),
  agentId: z.string().nullable(),
  actionId: z.string().nullable(),
  attempt: z.int().nullable(),
  verdict: z.string().nullable(),
  code: z.string(),
  reason: z.string().nullable().describe('Of a dead letter: what is wrong with it now.'),
});
type Answer = z.output<typeof answer>;

export const republication = z.object({
  id: z.string(),
  by: z.string(),
  reason: z.string(),
  at: time,
  corrected: z.boolean().describe('false: byte for byte as it was.'),
  source: logPosition.describe('Where the record lies that was published from the letter.'),
  became: answer.nullable().describe('What answers that record; null while nothing does.'),
});

/**
 * Returns the republications, oldest first.
 * @param sourceTopic the only topic that the caller may see; absent: the caller may see all topics
 */
export async function historyOf(
  ask: BoundedAsk,
  asker: Asker,
  { letterId, sourceTopic }: { letterId: string; sourceTopic: string | undefined },
): Promise<z.output<typeof republication>[]> {
  const told = await ask(asker, republicationsOf, { sourceTopic, letterId });
  const ids = told.flatMap(({ answerIds }) => answerIds);
  // A tenant's own topic belongs to that tenant. A caller that may see every topic may see the answers of all
  // tenants.
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
