import { PassThrough } from 'node:stream';
import type { Change } from '@mandate/control/plan';
import { policyDocument } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { changesText } from './show-changes.ts';

test('shows each changed line below the names of the fields that contain it', () => {
  const policy = (cost: number, max: number) =>
    policyDocument.parse({
      version: 1,
      id: 'p',
      maxCostTotal: max,
      toolPolicies: { pay: { cost, requiresConfirmation: true }, read: { cost: 0 } },
    });
  const change: Change = {
    ...{ kind: 'policy', id: 'p', does: 'change', revision: 1 },
    ...{ before: policy(1, 5), after: policy(0.2, 6), widens: ['maxCostTotal: 5 → 6'] },
  };
  expect(changesText([change], new PassThrough())).toBe(
    [
      '~ policy p',
      '    - maxCostTotal: 5',
      '    + maxCostTotal: 6',
      '      toolPolicies:',
      '        pay:',
      '    -     cost: 1',
      '    +     cost: 0.2',
      '    ! wider: maxCostTotal: 5 → 6',
      '',
    ].join('\n'),
  );
});

test('shows no line of a key that is only in another place', () => {
  const said = (before: object, after: object) => {
    const kept = { kind: 'policy', id: 'p', does: 'change', revision: 1, widens: [] } as const;
    const change = { ...kept, before: { id: 'p', ...before }, after: { id: 'p', ...after } };
    return changesText([change as Change], new PassThrough());
  };
  const [pay, read] = [{ cost: 1, roles: ['a', 'b'] }, { cost: 0 }];
  const moved = {
    maxOpen: 1,
    tools: [{ ...read, more: true }],
    toolPolicies: { read, pay: { roles: ['a', 'b'], cost: 2 } },
  };
  expect(said({ toolPolicies: { pay, read }, tools: [{ cost: 0 }] }, moved)).toBe(
    [
      '~ policy p',
      '    + maxOpen: 1',
      '      toolPolicies:',
      '        pay:',
      '    -     cost: 1',
      '    +     cost: 2',
      '      tools:',
      '        - cost: 0',
      '    +     more: true',
      '',
    ].join('\n'),
  );
});
