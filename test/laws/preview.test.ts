/** Tests that a preview answers as if the previewed documents were in force, and changes nothing that is in force. */
import {
  type ControlFold,
  composeGrant,
  foldControl,
  mandatesUnderControl,
  previewIssue,
  previewMandate,
} from '@mandate/control';
import { planInForce } from '@mandate/policy';
import { contentFinders } from '@mandate/privacy';
import { type Action, agentDocument, controlRecord, policyDocument, ruleDocument } from '@mandate/schemas';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { START_MS } from '../decider-in-a-box.ts';
import { arbitraryAction } from './arbitrary-requests.ts';
import { arbitraryAuthority, chainOf, type Register } from './registered.ts';

// The timeout is long: each test runs many random cases, which takes a second or two, and more on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const CHAIN = ['lead', 'worker'];
const AGENTS = chainOf(CHAIN).map((agent) => agentDocument.parse(agent));
const WORKER = AGENTS.at(-1) as (typeof AGENTS)[number];

type Documents = Pick<Register, 'policies' | 'rules'>;
type Body = { event: string };

const bodiesOf = ({ policies, rules }: Documents): Body[] => [
  ...policies.map((policy) => ({ event: 'policy.published', policy: { version: 1, ...policy } })),
  ...rules.map((rule) => ({ event: 'rule.put', rule: { version: 1, ...rule } })),
];

function changing(): { fold: ControlFold; change(bodies: readonly Body[]): void } {
  const fold = foldControl();
  let revision = 0;
  const change = (bodies: readonly Body[]) => {
    for (const body of bodies) {
      revision += 1;
      const who = {
        id: `c${revision}`,
        tenant: 'acme',
        by: 'ann',
        reason: '',
        at: '2026-03-01T12:00:00.000Z',
      };
      fold.apply(controlRecord.parse({ change: who, ...body }), revision);
    }
  };
  change(AGENTS.map((agent) => ({ event: 'agent.put', agent })));
  return { fold, change };
}

function preview(fold: ControlFold, action: Action, { policies, rules }: Documents) {
  // The compiled mandate is left out of the comparison, because the plans show everything about it.
  const {
    mandate: _,
    shadow,
    ...told
  } = previewMandate(
    fold.tenant('acme'),
    {
      ...{ agent: WORKER, action, atMs: START_MS },
      policies: policies.map((policy) => policyDocument.parse({ version: 1, ...policy })),
      rules: rules.map((rule) => ruleDocument.parse({ version: 1, ...rule })),
    },
    contentFinders,
  );
  return { ...told, shadow: shadow && { ...shadow, mandate: null } };
}

const NOTHING: Documents = { policies: [], rules: [] };
/**
 * Documents that are previewed one after the other. `isDone`: they are published afterwards. `gone`: the rule that is
 * then removed, if it exists.
 */
const candidates = fc.array(
  fc.record({
    documents: arbitraryAuthority(CHAIN),
    isDone: fc.boolean(),
    gone: fc.constantFrom('r0', 'r1', 'none'),
  }),
  { minLength: 1, maxLength: 4 },
);

/** The contexts in which the grants are issued. */
const contexts = fc.constantFrom({}, { environment: 'prod' }, { environment: 'test' });

test('the grant that a preview composes with new documents is the grant that is issued after these documents are published', () => {
  let [differing, issued] = [0, 0];
  fc.assert(
    fc.property(
      arbitraryAuthority(CHAIN),
      arbitraryAuthority(CHAIN),
      contexts,
      (stands, candidate, context) => {
        const [before, then] = [changing(), changing()];
        before.change(bodiesOf(stands));
        then.change([...bodiesOf(stands), ...bodiesOf(candidate)]);
        const of = ({ fold }: typeof before, { policies, rules }: Documents) =>
          previewIssue(fold.tenant('acme'), {
            ...{ agent: WORKER, context, atMs: START_MS },
            policies: policies.map((policy) => policyDocument.parse({ version: 1, ...policy })),
            rules: rules.map((rule) => ruleDocument.parse({ version: 1, ...rule })),
          });
        const told = of(before, candidate);
        expect(told).toEqual(of(then, NOTHING));
        const control = then.fold.tenant('acme');
        const agent = control.agents.get(WORKER.id);
        expect(told.issue).toEqual(agent && composeGrant(control, agent, context, START_MS));
        if (told.issue.ok) {
          const { rules, openRules } = told.issue.composed;
          const matching = new Set([...rules, ...openRules].map(({ rule }) => rule));
          expect(told.near.filter(({ rule }) => matching.has(rule))).toEqual([]);
          issued += 1;
        }
        differing += JSON.stringify(told) === JSON.stringify(of(before, NOTHING)) ? 0 : 1;
      },
    ),
  );
  expect(Math.min(differing, issued)).toBeGreaterThan(15);
});

test('a preview decides with new documents as if they were published, and without them as before', () => {
  let differing = 0;
  fc.assert(
    fc.property(candidates, arbitraryAction, (all, { mandateId: _, ...drawn }) => {
      const action = { ...drawn, agentId: WORKER.id, tenant: 'acme' };
      const standing = changing();
      const done: Body[] = [];
      for (const { documents, isDone, gone } of all) {
        const [before, then] = [changing(), changing()];
        before.change(done);
        then.change([...done, ...bodiesOf(documents)]);
        const told = preview(standing.fold, action, documents);
        expect(told).toEqual(preview(then.fold, action, NOTHING));
        const stands = preview(standing.fold, action, NOTHING);
        expect(stands).toEqual(preview(before.fold, action, NOTHING));
        const decided = planInForce(
          mandatesUnderControl(then.fold, () => 1),
          'acme',
          action,
          START_MS,
        );
        expect(decided).toMatchObject(told.plan);
        differing += JSON.stringify(told) === JSON.stringify(stands) ? 0 : 1;
        const next = [...(isDone ? bodiesOf(documents) : []), { event: 'rule.removed', ruleId: gone }];
        standing.change(next);
        done.push(...next);
      }
    }),
  );
  expect(differing).toBeGreaterThan(20);
});

test.each<[string, Action]>([
  [
    'an answer with personal data',
    { id: 'x', agentId: 'worker', type: 'output', text: 'Write to ann@example.org.' },
  ],
  [
    'a call in a turn of its ancestor',
    { id: 'x', agentId: 'worker', type: 'tool_call', tool: 'look', turnId: 'p' },
  ],
])('previews %s as a decider plans it', (_, action) => {
  const governance = {
    guardrails: {
      output: { blocked_content: [{ pii_detection: true }, { profanity_filter: true }] },
      agent: { max_tool_calls_per_turn: 2 },
    },
  };
  const { fold, change } = changing();
  change(
    bodiesOf({
      policies: [{ id: 'held' }, { id: 'tried', governance }],
      rules: [
        { id: 'held', policy: 'held' },
        { id: 'tried', policy: 'tried', mode: 'shadow' },
      ],
    }),
  );
  const enforced = { policies: [], rules: [{ id: 'tried', policy: 'tried' }] };
  const planned = () =>
    planInForce(
      mandatesUnderControl(fold, () => 1),
      'acme',
      action,
      START_MS,
      action,
      contentFinders,
    );
  expect(preview(fold, action, NOTHING).shadowPlan?.refusal).toBeNull();
  const told = preview(fold, action, enforced).plan;
  change(bodiesOf(enforced));
  expect(planned()).toMatchObject(told);
  expect(told.refusal).toBeNull();
});
