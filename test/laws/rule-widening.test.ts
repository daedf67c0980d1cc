/** A rule that is changed, or removed, of which nothing wider is told, lets nothing through that was refused. */
import { ruleWidening } from '@mandate/policy';
import { type Plan, type RuleDocument, ruleDocument } from '@mandate/schemas';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { calls, MOMENTS, plansOf, rule } from './arbitrary-rules.ts';

const POLICIES = [
  { id: 'p', allowedTools: ['x'], maxCostPerCall: 1 },
  { id: 'q', deniedTools: ['send'] },
];

type Drawn = typeof rule extends fc.Arbitrary<infer Fields> ? Fields : never;
type Name = Exclude<keyof Drawn, 'id'>;

/** The first with a field or two of the second: else nearly every change widens somewhere. */
function between(before: Drawn, other: Drawn, names: readonly Name[]): Drawn {
  const after: Record<string, unknown> = { ...before };
  for (const name of names) {
    if (other[name] === undefined) delete after[name];
    else after[name] = other[name];
  }
  return after as Drawn;
}

const NAMES: readonly Name[] = ['policy', 'mode', 'agents', 'groups', 'when', 'startsAt', 'endsAt'];
const changes = fc
  .tuple(rule, rule, fc.subarray([...NAMES], { minLength: 1, maxLength: 2 }), fc.boolean(), fc.nat(5))
  .map(([before, other, names, isRemoved, priority]) => ({
    before,
    after: isRemoved && priority === 0 ? null : { ...between(before, other, names), priority },
  }));

const documentOf = (drawn: object): RuleDocument => ruleDocument.parse({ version: 1, ...drawn });
const letsThrough = ({ refusal, observe }: Plan) => refusal === null || observe;

test('where nothing is told, nothing is let through that was refused', () => {
  let [silent, wider] = [0, 0];
  const others = fc.array(
    rule.map((fields) => ({ ...fields, id: 'other' })),
    { maxLength: 1 },
  );
  fc.assert(
    fc.property(
      changes,
      others,
      fc.array(calls, { minLength: 8, maxLength: 8 }),
      ({ before, after }, others, actions) => {
        const told = ruleWidening(documentOf(before), after && documentOf(after));
        const was = plansOf(POLICIES, [...others, before]);
        const is = plansOf(POLICIES, [...others, ...(after ? [after] : [])]);
        const widens = actions.some((action) =>
          MOMENTS.some((atMs) => !letsThrough(was(action, atMs)) && letsThrough(is(action, atMs))),
        );
        if (widens) wider += 1;
        if (told.length === 0) {
          silent += 1;
          expect(widens).toBe(false);
        }
      },
    ),
    { numRuns: 400 },
  );
  expect(Math.min(silent, wider), 'both came about').toBeGreaterThan(15);
});

const RULE = { id: 'r', policy: 'p' };

test.each<[string, object, object | null, readonly string[]]>([
  ['nothing', {}, {}, []],
  ['its place', {}, { priority: 7 }, []],
  ['that it is enforced', { mode: 'observe' }, { mode: 'enforce' }, []],
  [
    'that it is enforced no more',
    {},
    { mode: 'shadow' },
    ['mode: enforce → shadow: it no longer holds anybody'],
  ],
  ['that it only watches', {}, { mode: 'observe' }, ['mode: enforce → observe: its policy only watches']],
  ['that it is gone', {}, null, ['it is removed']],
  ['that one in shadow is gone', { mode: 'shadow' }, null, []],
  ['its version', { policy: 'p@1' }, { policy: 'p' }, ['policy: p@1 → p']],
  ['fewer agents', { agents: ['a*'] }, { agents: ['ab'] }, ['agents: fewer are held']],
  ['more groups', { groups: ['g'] }, { groups: ['g', 'h'] }, ['groups: more are held']],
  ['other agents', { agents: ['a'] }, { agents: ['b'] }, ['agents: others are held']],
  ['the same agents, in other words', { agents: ['a*', 'ab'] }, { agents: ['a*'] }, []],
])('%s', (_, before, after, told) => {
  expect(
    ruleWidening(documentOf({ ...RULE, ...before }), after && documentOf({ ...RULE, ...after })),
  ).toEqual(told);
});
