import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wireTime } from './moment.ts';
import { id, tenant, time } from './scalars.ts';
import { sortableId, timeOfId } from './sortable-id.ts';
import { agentKey, TOPICS, tenantOfTopic } from './topics.ts';

const LAST_MS = 253_402_300_799_999;
const timeMs = fc.integer({ min: 0, max: LAST_MS });

describe('times', () => {
  it('are written in UTC with milliseconds, and read back exactly', () => {
    fc.assert(
      fc.property(timeMs, (atMs) => {
        expect(time.safeParse(wireTime(atMs)).success).toBe(true);
        expect(Date.parse(wireTime(atMs))).toBe(atMs);
      }),
    );
  });

  it.each([
    ['2026-01-01', 'no time'],
    ['2026-01-01T00:00:00', 'no zone'],
    ['2026-01-01T00:00Z', 'no seconds'],
    ['2026-02-29T00:00:00Z', 'no such day'],
    ['2026-01-01T24:00:00Z', 'no such hour'],
    ['2026-01-01T00:00:00+24:00', 'no such zone'],
    ['2026-01-01 00:00:00Z', 'a blank'],
  ])('%s is refused: %s', (text) => {
    expect(time.safeParse(text).success).toBe(false);
  });
});

describe('ids', () => {
  it.each(['a', 'toolu_01', 'urn:x:1', 'ключ', '😀'])('accepts %s', (text) => {
    expect(id.safeParse(text).success).toBe(true);
  });
  it.each(['', ' ', 'a b', 'a\n', '\u0000', '\u001b[31m', '\u202e', '\ud800', '\u00a0', '\u2028'])(
    'refuses %j',
    (text) => {
      expect(id.safeParse(text).success).toBe(false);
    },
  );
});

describe('tenants', () => {
  it.each(['default', 'a', 'A.b-c_9', 'x'.repeat(64)])('accepts %s', (name) => {
    expect(tenant.safeParse(name).success).toBe(true);
  });
  it.each(['', '.a', '-a', 'a/b', 'a b', 'é', 'x'.repeat(65), 'a\n'])('refuses %j', (name) => {
    expect(tenant.safeParse(name).success).toBe(false);
  });
  it('with an agent, form a key that is different for every pair', () => {
    expect(agentKey('a', 'b/c')).toBe('a/b/c');
    expect(tenant.safeParse('a/b').success).toBe(false);
  });
  it('may own a topic', () => {
    expect(tenantOfTopic(`${TOPICS.actions}.acme`)).toBe('acme');
    expect(tenantOfTopic(TOPICS.actions)).toBeNull();
    expect(tenantOfTopic(TOPICS.decisions)).toBeNull();
  });
});

describe('ids that contain a time', () => {
  const hash = fc.stringMatching(/^[0-9a-f]{64}$/);
  it('contain the time, and sort by it', () => {
    fc.assert(
      fc.property(timeMs, timeMs, hash, hash, (a, b, hashA, hashB) => {
        const [idA, idB] = [sortableId('dec', a, hashA), sortableId('dec', b, hashB)];
        expect(timeOfId(idA)).toBe(a);
        expect(id.safeParse(idA).success).toBe(true);
        if (a !== b) expect(idA < idB).toBe(a < b);
      }),
    );
  });
  it.each(['act_1', 'dec_', `dec_${'u'.repeat(10)}${'0'.repeat(20)}`, 'DEC_0123456789'])(
    '%s contains no time',
    (text) => {
      expect(timeOfId(text)).toBeNull();
    },
  );
});
