/** How the query service treats hostile and invalid values of filters. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Scene } from '../support/query-scene.ts';

/** @param paths the routes that take filters */
export function filtersAnswer({ get, keys: { operator } }: Scene, paths: readonly string[]): void {
  const HOSTILE = [
    "'",
    "';DROP/**/TABLE/**/decisions;--",
    "'OR/**/1=1--",
    "\\'OR(1=1)--",
    "x'/**/UNION/**/ALL/**/SELECT/**/*/**/FROM/**/decisions--",
    '{tenant:String}',
    "agent-1'",
    '\\',
    '%27%20OR%201=1',
    '`decisions`',
    '$(reboot)',
    '*/decisions/*',
  ];
  const texts = fc.oneof(
    fc.constantFrom(...HOSTILE),
    fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' }),
  );
  const FILTERS = [
    'agent',
    'tool',
    'action',
    'verdict',
    'code',
    'type',
    'kind',
    'event',
    'from',
    'to',
    'limit',
    'cursor',
  ];

  test('is treated as text and never as SQL: it finds nothing or is refused', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        fc.constantFrom(...FILTERS),
        texts,
        async (path, filter, text) => {
          fc.pre(!/^\d+$/.test(text));
          const { status, body } = await get(path, { [filter]: text }, operator);
          expect([200, 400]).toContain(status);
          if (status === 200) expect(JSON.stringify(body)).not.toMatch(/"agent-\d"|"act-\d|"get_user"/);
        },
      ),
      { numRuns: 150 },
    );
    for (const text of HOSTILE) {
      expect((await get('/v1/audit/decisions', { agent: text })).body.decisions).toEqual([]);
      expect((await get('/v1/audit/decisions', { tool: text })).body.decisions).toEqual([]);
      expect((await get(`/v1/audit/decisions/${encodeURIComponent(text)}`)).status).toBe(404);
    }
    const forged = Buffer.from(JSON.stringify([1, 'decisions', ["'OR(1=1)--"]])).toString('base64url');
    expect((await get('/v1/audit/decisions', { cursor: forged })).body.decisions).toEqual([]);
    expect((await get('/v1/audit/decisions')).body.decisions).toHaveLength(56);
  });

  test.each([
    ['limit', '0'],
    ['limit', '1001'],
    ['limit', '-1'],
    ['limit', '1e2'],
    ['limit', '0x10'],
    ['limit', ''],
    ['limit', '1.5'],
    ['from', 'yesterday'],
    ['from', '1969-12-31T23:59:59Z'],
    ['to', '2262-01-01T00:00:00Z'],
    ['verdict', 'allow'],
    ['agent', ''],
    ['agent', 'two words'],
    ['cursor', 'x'],
    ['cursor', Buffer.from('[1,"settlements",["stl_1"]]').toString('base64url')],
  ])('%s=%j is refused, and the answer names the parameter', async (name, value) => {
    const { status, body } = await get('/v1/audit/decisions', { [name]: value });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ in: 'query', pointer: `/${name}` }],
    });
  });

  test('with a forged cursor is refused, also if the cursor’s time does not fit into ClickHouse', async () => {
    const cursor = Buffer.from(`[1,"control-events",[${Number.MAX_SAFE_INTEGER},"x"]]`).toString('base64url');
    const { status, body } = await get('/v1/audit/control-events', { cursor });
    expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED']);
  });

  test('that is given twice matches either value if it is a name, and is refused otherwise', async () => {
    const { body } = await get('/v1/audit/decisions', { agent: ['agent-1', 'nobody'] });
    expect(body.decisions).toHaveLength(15);
    expect((await get('/v1/audit/decisions', { limit: ['1', '2'] })).status).toBe(400);
    expect((await get('/v1/audit/decisions', { from: ['1h', '2h'] })).status).toBe(400);
  });

  test('with a period that ends before it begins is refused', async () => {
    const { status, body } = await get('/v1/audit/decisions', { from: '1h', to: '2h' });
    expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED']);
  });
}
