/**
 * Checks the law that each delivery has one answer. A redelivery within the replay memory gets the same answer, word
 * for word. After the replay memory, the delivery is decided again.
 */
import { createHash } from 'node:crypto';
import type { Decision, LogPosition, Settlement } from '@mandate/schemas';
import { type Findings, named, positionName } from './law.ts';
import type { Memory } from './memory.ts';
import type { Read } from './read-record.ts';

type Answer = { digest: number; atMs: number };

export type Answers = ReturnType<typeof createAnswers>;

export function createAnswers(findings: Findings, memory: Memory) {
  const given = new Map<string, Map<number, Answer>>();
  const ofPartition = ({ topic, partition }: Pick<LogPosition, 'topic' | 'partition'>) => {
    const name = `${topic}/${partition}`;
    const known = given.get(name);
    if (known !== undefined) return known;
    const none = new Map<number, Answer>();
    given.set(name, none);
    return none;
  };
  return {
    /** Records an answer. True for the first answer to a delivery, and false for a repeated answer. */
    takes({ log }: Pick<Read, 'log'>, answer: Decision | Settlement): boolean {
      const offsets = ofPartition(answer.source);
      const { offset } = answer.source;
      const atMs = Date.parse('decidedAt' in answer ? answer.decidedAt : answer.settledAt);
      const digest = digestOf(answer);
      const known = offsets.get(offset);
      if (known !== undefined && atMs < known.atMs + memory.ms) {
        if (known.digest !== digest) {
          findings.broken(() => ({
            at: positionName(log.position),
            ids: named(answer),
            what: `the delivery ${positionName(answer.source)} was answered before, in other words`,
          }));
        }
        return false;
      }
      findings.checked();
      offsets.set(offset, { digest, atMs });
      return true;
    },
    has: (source: { topic: string; partition: number; offset: number }) =>
      ofPartition(source).has(source.offset),
  };
}

/**
 * Returns a digest of 48 bits. Among a million answers, the chance that two different answers have the same digest is
 * about one in a hundred million.
 */
function digestOf(answer: Decision | Settlement): number {
  return createHash('sha1').update(JSON.stringify(answer)).digest().readUIntBE(0, 6);
}
