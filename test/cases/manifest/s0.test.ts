/** Tests every decision of the cases of manifests and permissions: compiled, registered, and decided in order. */
import { governedRedaction } from '@mandate/policy';
import type { Action } from '@mandate/schemas';
import { describe, expect, test } from 'vitest';
import { registered } from '../../laws/registered.ts';
import { inFormOf } from './expected-decision.ts';
import { manifestDecisionCases, publishedCases } from './manifest-decisions.ts';
import { loadedOf, playSteps } from './play-manifest.ts';

const CASES = manifestDecisionCases();

describe('decisions under a manifest', () => {
  test.each(CASES)('$id: $why', async ({ documents, now, steps, expected }) => {
    const decisions = await playSteps(registered(documents()), now, steps);
    for (const [at, answer] of expected.entries()) {
      const decision = decisions[at] ?? null;
      const compared = answer && decision ? inFormOf(answer, decision) : decision;
      expect(compared, `step ${at + 1}`).toEqual(answer);
    }
  });

  test('there are cases', () => {
    expect(CASES.length).toBeGreaterThan(200);
  });
});

describe('actions as they are published', () => {
  test.each(publishedCases())('$id: $why', ({ given, action, hashKey, expected }) => {
    const { permissions } = loadedOf(given);
    const { redact = [], hash = [] } = permissions.audit?.sensitive_fields ?? {};
    const fields = { redact, hash };
    const published = governedRedaction({ hash: [], hashKey }, () => fields)(action, 'default');
    expect(published).toEqual(expected);
  });

  test('without a key, what would be hashed is redacted', () => {
    const fields = { redact: [], hash: ['note'] };
    const action: Action = { id: 'a', agentId: 'b', type: 'tool_call', tool: 't', args: { note: 'n' } };
    const published = governedRedaction({ hash: [] }, () => fields)(action, 'default');
    expect(published).toMatchObject({ args: { note: '[redacted]' } });
  });
});
