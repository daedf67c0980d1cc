import { expect, it } from 'vitest';
import { counted, forPeople } from './for-people.ts';

it.each([
  ['Calls are limited to 3 in 86400000 ms; 3 were made.', 'Calls are limited to 3 in 1 d; 3 were made.'],
  ['it took 900 ms', 'it took 900 ms'],
  ['(POST /v1/budgets/adjust), then', '(`mandate budgets adjust`), then'],
  [
    'ask for the decision again with GET /v1/actions/{id}.',
    'ask for the decision again with `mandate decisions explain`.',
  ],
  ['GET /v1/dead-letters lists them', '`mandate dead-letters list` lists them'],
  ['/v1/audit/dead-letters lists them.', '`mandate dead-letters list` lists them.'],
  [
    'GET /v1/audit/dead-letters/{id} tells what became of that; to publish it again, send {"again": true}.',
    '`mandate dead-letters show` tells what became of that; to publish it again, give --again.',
  ],
  ['GET /v1/runs/{id} shows what it waits for.', '`mandate runs show` shows what it waits for.'],
  ['GET /v1/runs lists the runs.', '`mandate runs list` lists the runs.'],
  ['GET /v1/manifests lists what there is.', '`mandate manifests list` lists what there is.'],
  [
    'Publish your version with `mandate manifest publish FILE`, or leave the hash out.',
    'Publish your version with `mandate manifest publish FILE`, or run the published one by its id with `mandate run ID`.',
  ],
  ['Leave `agent` out.', 'Leave --agent out.'],
  ['Name one with `agent`: a, b.', 'Name one with --agent: a, b.'],
  ['GET /v1/alerts lists them.', '`mandate alerts list` lists them.'],
])('%s', (said, shown) => {
  expect(forPeople(said)).toBe(shown);
});

it.each([
  [1, 'after 1 s'],
  [59_321, 'after 1 min'],
  [3_540_001, 'after 59 min 1 s'],
  [80_000_000, 'after 22 h 14 min'],
  [null, 'after retryAfterMs'],
])('shows a wait of %j ms as "%s", which is at least as long as the wait', (retryAfterMs, words) => {
  expect(forPeople('Try again after retryAfterMs.', { retryAfterMs })).toBe(`Try again ${words}.`);
});

it('uses the singular for the number one', () => {
  expect([0, 1, 2].map((count) => counted(count, 'row'))).toEqual(['0 rows', '1 row', '2 rows']);
});
