import { expect, it } from 'vitest';
import { loadControl } from './load-control.ts';

it('reads -0 as 0, as a plane does', () => {
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

it('rejects documents that no plane could write to its log, with the path in the document', () => {
  const labels = Array.from({ length: 40 }, (_, at) => `l${at}: *long`).join(', ');
  const agent = `{ kind: agent, id: a, labels: { long: &long ${'x'.repeat(60_000)}, ${labels} } }`;
  expect(loadControl(`{ kind: agent, id: b }\n---\n${agent}\n`)).toEqual({
    ok: false,
    faults: [
      {
        ...{ line: 3, column: 1, path: '' },
        message: 'the agent cannot be put on the log: it has more than 1500000 bytes',
      },
    ],
  });
});
