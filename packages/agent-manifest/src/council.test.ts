import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CouncilStrategy, countVotes } from './council.ts';

const STRATEGIES: readonly CouncilStrategy[] = ['consensus', 'majority', 'unanimous', 'weighted'];

function decide(ballots: Record<string, unknown>, more: Partial<Parameters<typeof countVotes>[0]> = {}) {
  return countVotes({ voters: ['a', 'b', 'c'], ballots, ...more });
}

const yes = { vote: 'approve' };
const no = { vote: 'reject' };

describe('a ballot', () => {
  test.each([
    ['another word', { vote: 'Approve' }],
    ['no object', 'approve'],
    ['null', null],
    ['a list', ['approve']],
    ['a vote that is no text', { vote: 1 }],
    ['a word of the prototype', { vote: 'constructor' }],
    ['a vote that the prototype has', Object.create({ vote: 'approve' })],
  ])('that is %s is an abstention', (_, ballot) => {
    expect(decide({ a: yes, b: yes, c: ballot }).abstained).toEqual(['c']);
  });

  test('that the ballots only inherit from their prototype is an abstention', () => {
    expect(countVotes({ voters: ['toString'], ballots: {} }).abstained).toEqual(['toString']);
  });

  test('of a voter that is listed twice counts once', () => {
    const result = countVotes({ voters: ['a', 'a', 'b'], strategy: 'majority', ballots: { a: yes, b: no } });
    expect(result).toMatchObject({ decided: false, reason: 'no_majority' });
  });
});

test('options may have names that objects inherit from their prototype', () => {
  const ballots = { a: { vote: '__proto__' }, b: { vote: '__proto__' }, c: { vote: 'constructor' } };
  const result = decide(ballots, { strategy: 'majority', options: ['__proto__', 'constructor'] });
  expect(result.decision).toBe('__proto__');
  expect(Object.entries(result.counts)).toEqual([
    ['__proto__', 2],
    ['constructor', 1],
  ]);
});

test('half of the voters are not a quorum', () => {
  const result = countVotes({ voters: ['a', 'b'], strategy: 'consensus', ballots: { a: yes } });
  expect(result).toMatchObject({ decision: null, reason: 'no_quorum' });
});

test('weights count only in the strategy `weighted`', () => {
  const weights = { a: 5 };
  expect(decide({ a: yes, b: no, c: no }, { strategy: 'majority', weights }).decision).toBe('reject');
  expect(decide({ a: yes, b: no, c: no }, { strategy: 'weighted', weights }).decision).toBe('approve');
});

describe('laws', () => {
  const vote = fc.constantFrom<unknown>(yes, no, { vote: 'other' }, null);
  const council = fc.record({
    strategy: fc.constantFrom(...STRATEGIES),
    ballots: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e'), vote),
    weights: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.integer({ min: 1, max: 1_000 })),
  });
  const voters = ['a', 'b', 'c', 'd', 'e'];

  test('the order of the voters decides nothing', () => {
    fc.assert(
      fc.property(council, fc.shuffledSubarray(voters, { minLength: 5 }), (given, order) => {
        const { abstained, ...result } = countVotes({ ...given, voters });
        const other = countVotes({ ...given, voters: order });
        expect({ ...other, abstained: [...other.abstained].sort() }).toEqual({ ...result, abstained });
      }),
    );
  });

  test('options with equal votes lead to no decision', () => {
    fc.assert(
      fc.property(council, (given) => {
        const { decided, decision, counts } = countVotes({ ...given, voters });
        const { approve = 0, reject = 0 } = counts;
        expect(decided).toBe(decision !== null);
        if (decided) expect(decision).toBe(approve > reject ? 'approve' : 'reject');
        if (approve === reject) expect(decided).toBe(false);
      }),
    );
  });

  test('a unanimous decision is also a consensus, and a consensus is also a majority', () => {
    fc.assert(
      fc.property(council, (given) => {
        const of = (strategy: CouncilStrategy) => countVotes({ ...given, strategy, voters });
        if (of('unanimous').decided) expect(of('consensus').decision).toBe(of('unanimous').decision);
        if (of('consensus').decided) expect(of('majority').decision).toBe(of('consensus').decision);
      }),
    );
  });
});
