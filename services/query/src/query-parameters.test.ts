/** Tests which error messages callers get for wrong query parameters. */
import { issueApiKey } from '@mandate/server';
import { expect, test } from 'vitest';
import { fakeAudit } from './fake-audit.fixture.ts';
import { queryServer } from './query-server.fixture.ts';

const { key, record } = issueApiKey({ tenant: 'acme', scopes: ['audit'], agents: ['*'], name: 'test' });

const grouped = (...names: string[]) => `analytics?${names.map((name) => `groupBy=${name}`).join('&')}`;

test.each([
  ['decisions?minChargedMicros=-1', '/minChargedMicros: give a whole number in plain digits, 0 or more'],
  ['decisions?minChargedMicros=1e3', '/minChargedMicros: give a whole number in plain digits, 0 or more'],
  ['decisions?maxChargedMicros=9007199254740992', 'in plain digits, 0 or more'],
  ['decisions?limit=0', '/limit: give a whole number in plain digits, 1 to 1000'],
  ['decisions?limit=1001', '/limit: give a whole number in plain digits, 1 to 1000'],
  ['export?rows=0', '/rows: give a whole number in plain digits, 1 or more'],
  [grouped('agent', 'tool', 'model', 'code'), '/groupBy: give 3 at most'],
  [grouped('agent', 'agent'), '/groupBy: names a dimension twice'],
  [grouped('colour'), '/groupBy: must be one of "agent", "tool", '],
  [grouped('agent', 'colour'), '/groupBy: must be one of "agent", "tool", '],
  ['live?events=nonsense', 'must be one of "decision", "settlement", "control", '],
  ['decisions?from=2026-02-30', '/from: has no day 30: the last day of 2026-02 is 28'],
  ['decisions?to=2026-02-29T10:00:00Z', '/to: has no day 29: the last day of 2026-02 is 28'],
  ['decisions?from=2026-01-01T24:00:00Z', '/from: has no hour 24'],
  ['decisions?from=2016-12-31T23:59:60Z', '/from: is a leap second'],
  ['decisions?from=2026-01-01T10:00:00', '/from: must have an offset'],
  ['decisions?from=2262-01-01', '/from: must be in the years 1970 to 2261'],
  ['decisions?from=999999w', '/from: must be in the years 1970 to 9999'],
  [
    'decisions?from=yesterday',
    '/from: must be a time (2026-01-31T12:00:00Z), a day (2026-01-31) or how long',
  ],
  ['settlements?from=2026-02-30', '/from: has no day 30'],
  ['control-events?from=2026-02-30', '/from: has no day 30'],
  ['export?of=decisions&from=2026-02-30', '/from: has no day 30'],
  ['analytics/spend?from=2026-02-30', '/from: has no day 30'],
  ['decisions?trace=x', '/trace: a trace id is 32 hexadecimal digits'],
  [`decisions?${'agent=a&'.repeat(101)}`, '/agent: give 100 at most'],
])('refuses %s and gives the reason', async (asked, said) => {
  const audit = fakeAudit(() => Promise.reject(new Error('it was asked')));
  const server = await queryServer({ audit, keys: [record] });
  const answer = await server.inject({ url: `/v1/audit/${asked}`, headers: { 'x-api-key': key } });
  expect([answer.statusCode, answer.json().detail]).toEqual([400, expect.stringContaining(said)]);
});
