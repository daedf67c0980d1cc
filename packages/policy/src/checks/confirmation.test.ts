import { DEFAULTS } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { compilePolicy } from '../mandate/compile-mandate.ts';
import { callsUnder } from './calls.fixture.ts';
import type { Calls } from './check.ts';
import { confirmation } from './confirmation.ts';

/**
 * Returns calls of one tool under a policy. `asks`: the policy requires a confirmation. `maxWaiting`: how many
 * questions may wait.
 */
function calls(asks: boolean, maxWaiting?: number): Calls {
  const toolPolicies = { pay: { requiresConfirmation: asks } };
  return callsUnder({ toolPolicies, ...(maxWaiting !== undefined && { maxWaiting }) });
}

test.each<[string, Calls[], number | null]>([
  ['the default, if no policy states a number', [calls(true)], DEFAULTS.maxWaiting],
  ['the number of the policy', [calls(true, 200)], 200],
  ['none', [calls(true, 0)], 0],
  ['the smallest number of several policies', [calls(true, 7), calls(true, 3), calls(true, 5)], 3],
  [
    'the default, if one policy requires a confirmation and states no number',
    [calls(true, 200), calls(true)],
    DEFAULTS.maxWaiting,
  ],
  [
    'the number of the other policy, if one policy requires no confirmation and states no number',
    [calls(true, 200), calls(false)],
    200,
  ],
  ['the number of a policy that requires no confirmation', [calls(true, 200), calls(false, 4)], 4],
  ['no limit, if no policy requires a confirmation', [calls(false, 4)], null],
])('limits the number of questions that may wait: %s', (_, ofPolicies, maxWaiting) => {
  const limits = confirmation.limits(ofPolicies).map((limit) => limit({} as never));
  expect(limits).toMatchObject(maxWaiting === null ? [] : [{ kind: 'confirmation', maxWaiting }]);
});

const DESTRUCTIVE = { destructive: true };

test.each<[string, object | null, object | undefined, boolean]>([
  ['asks about a destructive tool that no policy names', null, DESTRUCTIVE, true],
  ['asks about a destructive tool if its policy does not say', {}, DESTRUCTIVE, true],
  ['asks nobody if a policy says so', { requiresConfirmation: false }, DESTRUCTIVE, false],
  ['asks nobody about a tool that only reads', null, { ...DESTRUCTIVE, readOnly: true }, false],
  ['asks nobody about other tools', null, { destructive: false, openWorld: true }, false],
  ['asks nobody if the server says nothing', null, undefined, false],
])('%s', (_, tool, hints, asks) => {
  const under = callsUnder({ toolPolicies: tool === null ? {} : { pay: tool } });
  const action = { type: 'tool_call', tool: 'pay', ...(hints && { hints }) };
  const limits = confirmation.limits([under, callsUnder({ toolPolicies: {} })]);
  const asked = limits.flatMap((limit) => limit({ action } as never) ?? []);
  const { maxWaiting } = DEFAULTS;
  expect(asked).toEqual(asks ? [{ kind: 'confirmation', hinted: true, maxWaiting }] : []);
});

test('says that the server calls its tool destructive', () => {
  const limit = { kind: 'confirmation', maxWaiting: 2, hinted: true } as const;
  const fact = { kind: 'confirmation', ok: false, grant: 'none', waiting: 0 } as const;
  expect(confirmation.violation(limit, fact).reason).toContain('destructive');
  expect(confirmation.evidence(limit, fact, 0)).toMatchObject({ hinted: true });
});

test.each([
  ['Ask a person to approve it', 1],
  ['Ask people to answer some of them', 2],
])('says "%s" if %i of 2 questions wait', (remedy, waiting) => {
  const limit = { kind: 'confirmation', maxWaiting: 2 } as const;
  const fact = { kind: 'confirmation', ok: false, grant: 'none', waiting } as const;
  expect(confirmation.violation(limit, fact).remedy).toContain(remedy);
  expect(confirmation.evidence(limit, fact, 0)).toEqual({ grant: 'none', waiting, maxWaiting: 2 });
});

test('questions and grants get the shortest lifetime that a policy states, or none', () => {
  const said = (...tools: object[]) =>
    confirmation
      .limits(
        tools.map((tool) => callsUnder({ toolPolicies: { pay: { requiresConfirmation: true, ...tool } } })),
      )
      .map((limit) => limit({} as never));
  expect(said({ questionMs: 9_000, grantMs: 2_000 }, { questionMs: 5_000 }, {})).toMatchObject([
    { questionMs: 5_000, grantMs: 2_000 },
  ]);
  expect(Object.keys(said({})[0] ?? {})).not.toContain('questionMs');
});

test.each(['questionMs', 'grantMs'])('refuses %s for a tool that needs no confirmation', (field) => {
  const toolPolicies = { pay: { [field]: 5_000 } };
  expect(compilePolicy({ version: 1, id: 'p', toolPolicies }, 'p@1')).toMatchObject({
    ok: false,
    faults: [
      { path: ['toolPolicies', 'pay', field], message: expect.stringContaining('requiresConfirmation') },
    ],
  });
});
