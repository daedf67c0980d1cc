/**
 * Causes as many records as an attacker can: by long lists, many single actions, outcomes, and questions to people.
 * The attack needs one key that may publish.
 */
import { randomUUID } from 'node:crypto';
import { askOften } from './ask-often.ts';
import type { Attack, AttackTarget } from './attack.ts';

const LIST = 500;
const AGENTS = 50;

const actionOf = (nth: number, tool = 'look') => ({
  id: randomUUID(),
  agentId: `flood-${nth % AGENTS}`,
  type: 'tool_call',
  tool,
});
const send = ({ keys }: AttackTarget, path: string, body: object) => ({
  method: 'POST',
  path,
  key: keys[0] ?? '',
  body: JSON.stringify(body),
});

/** Sends lists of the maximum length, and does not wait for the decisions. */
export const floodOfLists: Attack = (target, until) =>
  askOften(target, until, 8, () =>
    send(
      target,
      '/v1/actions',
      Array.from({ length: LIST }, (_, n) => actionOf(n)),
    ),
  );

/** Sends lists of outcomes of actions that never existed. */
export const floodOfOutcomes: Attack = (target, until) =>
  askOften(target, until, 4, () =>
    send(
      target,
      '/v1/outcomes',
      Array.from({ length: LIST }, (_, n) => ({
        actionId: randomUUID(),
        agentId: `flood-${n % AGENTS}`,
        status: 'success',
      })),
    ),
  );

/** Sends requests from a thousand callers at once, each of which waits for one decision. */
export const floodOfCallers: Attack = (target, until) =>
  askOften(target, until, 1_000, (nth) => send(target, '/v1/actions?waitMs=20000', actionOf(nth)));

/** Calls a tool that needs a confirmation, so that the plane asks people very many questions. */
export const floodOfQuestions: Attack = (target, until) =>
  askOften(target, until, 8, (nth) => send(target, '/v1/actions', actionOf(nth, 'pay')));
