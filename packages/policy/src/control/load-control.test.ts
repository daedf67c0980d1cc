import { expect, it } from 'vitest';
import { loadControl } from './load-control.ts';

it('reads -0 as the 0 that a plane keeps of it', () => {
  for (const zero of ['-0', '0']) {
    const loaded = loadControl(
      `{ kind: policy, version: 1, id: p, maxCostTotal: ${zero}, maxCostPerCall: -0e1 }`,
    );
    expect(loaded.ok && loaded.documents.policies.get('p')).toEqual({
      version: 1,
      id: 'p',
      maxCostTotal: 0,
      maxCostPerCall: 0,
    });
  }
});
