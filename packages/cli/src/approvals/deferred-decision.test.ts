import type { Decision } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { type ApiClient, ApiProblem } from '../api-client.ts';
import { standingVerdict } from './deferred-decision.ts';

type Row = Pick<Decision, 'attempt' | 'kind' | 'verdict'>;

const problem = (code: string) => new ApiProblem({ status: 404, code, detail: '', remedy: '', faults: [] });

/** A plane whose gateway fails so, and whose audit has these decisions on the action. */
function plane(failure: Error, decisions: readonly Row[]): ApiClient {
  const get = async (path: string) => {
    if (path === '/v1/audit/decisions') return { decisions };
    throw failure;
  };
  return { get } as unknown as ApiClient;
}

const action = { agentId: 'bot', actionId: 'a', attempt: 1 };
const deferred: Row = { attempt: 1, kind: 'first', verdict: 'DEFER' };

test.each<[string, readonly Row[], Decision['verdict']]>([
  ['a deferral alone', [deferred], 'DEFER'],
  ['what was decided after it', [{ attempt: 1, kind: 'first', verdict: 'ALLOW' }, deferred], 'ALLOW'],
  ['never a repeat', [{ attempt: 1, kind: 'duplicate', verdict: 'BLOCK' }, deferred], 'DEFER'],
  ['nor another attempt', [{ attempt: 2, kind: 'first', verdict: 'BLOCK' }, deferred], 'DEFER'],
])('of what a gateway does not remember the record tells: %s', async (_what, decisions, verdict) => {
  expect(await standingVerdict(plane(problem('DECISION_NOT_FOUND'), decisions), action)).toBe(verdict);
});

test('any other failure of the gateway is told', async () => {
  const failure = problem('LEDGER_UNAVAILABLE');
  await expect(standingVerdict(plane(failure, [deferred]), action)).rejects.toBe(failure);
});
