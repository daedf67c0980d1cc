import { expect, test } from 'vitest';
import { callsUnder } from './calls.fixture.ts';
import { toolFacts } from './tool-facts.ts';

test.each<[object, object | null]>([
  [{}, null],
  [{ risk: 'safe' }, { risk: 'safe' }],
  [{ idempotent: false }, { idempotent: false }],
  [
    { risk: 'critical', idempotent: true },
    { risk: 'critical', idempotent: true },
  ],
])('records what a policy states about its tool: %j', (pay, evidence) => {
  const check = toolFacts(callsUnder({ toolPolicies: { pay } }));
  expect(check?.({} as never) ?? null).toEqual(
    evidence === null ? null : { check: 'tool-facts', result: 'pass', evidence },
  );
});
