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
