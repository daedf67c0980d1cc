/** Tests every decision of the cases of manifests and permissions: compiled, registered, and decided in order. */
import { governedRedaction } from '@mandate/policy';
import type { Action, Decision } from '@mandate/schemas';
import { describe, expect, test } from 'vitest';
import { manifestCases } from './manifest-cases.ts';
import { type GivenManifest, loadedOf, type ManifestStep, playManifest } from './play-manifest.ts';

type Expected = Partial<{
  verdict: string;
  code: string;
  hard: boolean;
  retryAfterMs: number | null;
  obligations: object;
  notes: readonly object[];
  violations: readonly object[];
  events: readonly string[];
  says: readonly string[];
  textAfter: string;
}>;

/**
 * These cases expect that a call that waits for an approval does not count towards its rates. Here it counts (ADR 41),
 * because an agent could otherwise ask people more often than the rate allows.
 */
const OTHERWISE = new Set(['s0-confirmation-007']);

const CASES = manifestCases<GivenManifest, readonly ManifestStep[], readonly (Expected | null)[]>(
  's0-cases',
).filter(({ id, when }) => Array.isArray(when) && !OTHERWISE.has(id));

describe('decisions under a manifest', () => {
  test.each(CASES)('$id: $why', async ({ given, when, then }) => {
    const decisions = await playManifest(given, when);
    for (const [at, expected] of then.entries()) {
      const decision = decisions[at];
      if (expected === null) expect(decision, `step ${at + 1}`).toBeNull();
      else expect(seen(decision as Decision, expected), `step ${at + 1}`).toEqual(expected);
      for (const text of expected?.says ?? [])
        expect(`${decision?.reason} ${decision?.remedy}`, `step ${at + 1}`).toContain(text);
    }
  });

  test('there are cases', () => {
    expect(CASES.length).toBeGreaterThan(200);
  });
});

const PUBLISHED = manifestCases<GivenManifest, { publish?: Action; hashKey?: string }, { action: Action }>(
  's0-cases',
).filter(({ when }) => when.publish !== undefined);

describe('actions as they are published', () => {
  test.each(PUBLISHED)('$id: $why', ({ given, when: { publish, hashKey }, then }) => {
    const { permissions } = loadedOf(given);
    const { redact = [], hash = [] } = permissions.audit?.sensitive_fields ?? {};
    const fields = { redact, hash };
    const published = governedRedaction({ hash: [], hashKey }, () => fields)(publish as Action, 'default');
    expect(published).toEqual(then.action);
  });

  test('without a key, what would be hashed is redacted', () => {
    const fields = { redact: [], hash: ['note'] };
    const action: Action = { id: 'a', agentId: 'b', type: 'tool_call', tool: 't', args: { note: 'n' } };
    const published = governedRedaction({ hash: [] }, () => fields)(action, 'default');
    expect(published).toMatchObject({ args: { note: '[redacted]' } });
  });
});

/** Returns the expected fields of a decision, in the form of the cases. Lists without an order are sorted as expected. */
function seen(decision: Decision, expected: Expected): Expected {
  const { verdict, code, final: hard, retryAfterMs, obligations = {} } = decision;
  const all: Required<Omit<Expected, 'says'>> = {
    verdict,
    code,
    hard,
    retryAfterMs,
    obligations,
    notes: inOrderOf(expected.notes, decision.notes),
    violations: inOrderOf(expected.violations, decision.violations),
    events: inOrderOf(expected.events, decision.events),
    textAfter: textAfter(decision),
  };
  const named = Object.keys(expected).map((field) => [
    field,
    field === 'says' ? expected.says : all[field as keyof typeof all],
  ]);
  return Object.fromEntries(named);
}

function inOrderOf<T>(expected: readonly T[] = [], given: readonly unknown[] = []): T[] {
  const place = (one: unknown) =>
    expected.findIndex((other) => JSON.stringify(other) === JSON.stringify(one));
  return [...(given as T[])].sort((one, other) => place(one) - place(other));
}

function textAfter({ action, obligations }: Decision): string {
  if (action.type !== 'output') return '';
  const characters = [...action.text];
  const redactions = (obligations?.redactions ?? []) as { type: string; start: number; end: number }[];
  for (const { type, start, end } of redactions.toReversed())
    characters.splice(start, end - start, `[redacted:${type}]`);
  return characters.join('');
}
