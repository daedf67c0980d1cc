import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { speaksFor } from './agent-globs.ts';
import { issueApiKey } from './api-key-record.ts';
import { parseApiKey } from './key-format.ts';
import { anyKeyStore, memoryKeyStore } from './key-store.ts';

const OLD_KEY = 'mdt_0123456789ab_0000000000000000000000000000000000000000000_4CFLWm';
const grant = { tenant: 'default', scopes: ['publish'], agents: ['*'], name: 'test' } as const;

describe('issueApiKey', () => {
  test('returns a key of the documented form, and a record that does not contain the key', () => {
    const { key, record } = issueApiKey(grant, () => Date.UTC(2026, 0, 1));
    expect(key).toMatch(/^sk-mdt_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
    expect(parseApiKey(key)).toEqual({ id: record.id });
    expect(record).toEqual({
      ...grant,
      id: key.slice(7, 19),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      createdAt: '2026-01-01T00:00:00.000Z',
      revokedAt: null,
    });
    expect(JSON.stringify(record)).not.toContain(key.slice(20, 63));
  });

  test('never repeats an id, a secret or a hash', () => {
    const issued = Array.from({ length: 200 }, () => issueApiKey(grant));
    expect(new Set(issued.map(({ record }) => record.id)).size).toBe(200);
    expect(new Set(issued.map(({ key }) => key.slice(20, 63))).size).toBe(200);
    expect(new Set(issued.map(({ record }) => record.hash)).size).toBe(200);
  });

  test('rejects scopes and agents that have no meaning', () => {
    expect(() => issueApiKey({ ...grant, scopes: [] })).toThrow();
    expect(() => issueApiKey({ ...grant, tenant: '' })).toThrow();
  });
});

describe('an API key with an expiry', () => {
  const AT_MS = Date.UTC(2026, 0, 1);

  test('is accepted until its expiry, and only the whole key reveals when it expired', async () => {
    const { key, record } = issueApiKey({ ...grant, lastsMs: 1_000 }, () => AT_MS);
    expect(record.expiresAt).toBe('2026-01-01T00:00:01.000Z');
    let nowMs = AT_MS + 999;
    const store = anyKeyStore(
      memoryKeyStore([]),
      memoryKeyStore([record], () => nowMs),
    );
    expect(await store.find(key)).toEqual(record);
    expect(await store.expiredAt(key)).toBe(null);
    nowMs += 1;
    expect(await store.find(key)).toBe(null);
    expect(await store.expiredAt(key)).toBe(record.expiresAt);
    const { key: other } = issueApiKey(grant);
    expect(await store.expiredAt(other)).toBe(null);
    const revoked = memoryKeyStore([{ ...record, revokedAt: record.createdAt }], () => nowMs);
    expect(await revoked.expiredAt(key)).toBe(null);
  });

  test('needs an explicit duration, because a key does not expire by default', () => {
    expect(issueApiKey(grant).record.expiresAt).toBeUndefined();
    expect(issueApiKey({ ...grant, lastsMs: null }).record.expiresAt).toBeUndefined();
  });
});

describe('parseApiKey', () => {
  test('detects one wrong character anywhere without a look-up', () => {
    const { key } = issueApiKey(grant);
    const letter = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-. ');
    fc.assert(
      fc.property(fc.nat(key.length - 1), letter, (at, other) => {
        const typo = key.slice(0, at) + other + key.slice(at + 1);
        expect(parseApiKey(typo) === null).toBe(typo !== key);
      }),
    );
  });

  test('rejects every other text', () => {
    const { key } = issueApiKey(grant);
    const cut = key.replace('sk-', '');
    for (const text of [
      '',
      'sk-mdt_',
      cut,
      key.slice(0, -1),
      `${key}0`,
      ` ${key}`,
      `${key}\n`,
      key.toUpperCase(),
    ]) {
      expect(parseApiKey(text)).toBeNull();
    }
    fc.assert(fc.property(fc.string(), (text) => parseApiKey(text) === null));
  });
});

describe('memoryKeyStore', () => {
  test('finds the record of a valid key and of no other key', async () => {
    const [mine, other, revoked] = [issueApiKey(grant), issueApiKey(grant), issueApiKey(grant)];
    const store = memoryKeyStore([mine.record, { ...revoked.record, revokedAt: '2026-01-01T00:00:00Z' }]);
    expect(await store.find(mine.key)).toEqual(mine.record);
    expect(await store.find(other.key)).toBeNull();
    expect(await store.find(revoked.key)).toBeNull();
    expect(await store.find('rubbish')).toBeNull();
  });

  test("returns the holder of a key, even of a revoked key, by the key's id from any store", async () => {
    const [mine, revoked, other] = [issueApiKey(grant), issueApiKey(grant), issueApiKey(grant)];
    const ended = { ...revoked.record, revokedAt: '2026-01-01T00:00:00Z' };
    const store = anyKeyStore(memoryKeyStore([mine.record]), memoryKeyStore([ended]));
    expect(await store.holderOf(mine.record.id)).toEqual(mine.record);
    expect(await store.holderOf(revoked.record.id)).toEqual(ended);
    expect(await store.holderOf(other.record.id)).toBeNull();
  });

  test('accepts a key of the old form', async () => {
    const hash = createHash('sha256').update(OLD_KEY).digest('hex');
    const record = { ...issueApiKey(grant).record, id: '0123456789ab', hash };
    expect(await memoryKeyStore([record]).find(OLD_KEY)).toEqual(record);
    expect(await memoryKeyStore([record]).find(`sk-${OLD_KEY}`)).toBeNull();
  });

  test('rejects a well-formed key with a known id and another secret', async () => {
    const [mine, other] = [issueApiKey(grant), issueApiKey(grant)];
    const store = memoryKeyStore([{ ...mine.record, id: other.record.id }]);
    expect(await store.find(other.key)).toBeNull();
  });
});

describe('speaksFor', () => {
  const may = (agents: string[], id: string) => speaksFor({ ...issueApiKey(grant).record, agents }, id);

  test.each<[string[], string, boolean]>([
    [['*'], 'anything', true],
    [['*'], '', true],
    [[], 'anything', false],
    [['airline-*'], 'airline-007', true],
    [['airline-*'], 'airline-', true],
    [['airline-*'], 'my-airline-007', false],
    [['a', 'b'], 'b', true],
    [['a*a'], 'a', false],
    [['a*a'], 'aa', true],
    [['*b*'], 'abc', true],
    [['a*bc*c'], 'abc', false],
    [['a*bc*c'], 'abcc', true],
    [['*.prod/*'], 'x.prod/y/z', true],
    [['a.c'], 'abc', false],
    [['**'], 'x', true],
  ])('%j %s %s', (agents, id, expected) => {
    expect(may(agents, id)).toBe(expected);
  });

  test('matches the same ids as the equivalent regular expression', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 });
    fc.assert(
      fc.property(piece, text, (glob, id) => {
        expect(may([glob], id)).toBe(new RegExp(`^${glob.replaceAll('*', '.*')}$`).test(id));
      }),
    );
  });
});
