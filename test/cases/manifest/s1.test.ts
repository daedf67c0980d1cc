/** Tests every case of category policies: effective policies, decisions, requests that are refused, and configs. */

import { type OfflineDecider, offlineDecider } from '@mandate/engine';
import { loadCategories } from '@mandate/manifest';
import { mandatesOfFile } from '@mandate/policy';
import { loadMandates } from '@mandate/policy/documents';
import {
  type EffectivePolicy,
  effectivePolicy,
  compileCategories as treeOf,
} from '@mandate/policy/governance';
import { contentFinders } from '@mandate/privacy';
import { manualClock } from '@mandate/runtime';
import { describe, expect, test } from 'vitest';
import { sectionOf } from './category-decisions.ts';
import { type ExpectedDecision, inFormOf } from './expected-decision.ts';
import { type CaseDocument, manifestCases, textOf } from './manifest-cases.ts';

type Given = { readonly config: CaseDocument; readonly now: string };
type When = {
  readonly resolve?: { readonly store: string; readonly path: string };
  readonly ask?: object;
  readonly load?: true;
};
type Then = ExpectedDecision &
  Partial<{
    effective: object;
    path: string;
    ok: boolean;
    errors: readonly object[];
    warnings: readonly object[];
  }>;

const CASES = [
  ...manifestCases<Given, When, Then>('s1-cases'),
  ...manifestCases<Given, When, Then>('cortex-shared'),
];

describe('category policies', () => {
  test.each(CASES)('$id: $why', async ({ given, when, then }) => {
    if (when.load) return expectLoad(given, then);
    const section = sectionOf(given.config);
    if (when.resolve !== undefined) {
      const effective = effectivePolicy(treeOf(section), when.resolve.store, when.resolve.path);
      expect(effective && valuesOf(effective)).toEqual(then.effective);
      return;
    }
    const answered = await ask(deciderOf(section, given.now), when.ask ?? {});
    if (answered.event === 'dead.letter') {
      const { code, pointer } = answered.deadLetter.fault;
      const path = pointer.replace('/action/', '').replaceAll('/', '.');
      expect({ code, path }).toEqual(then);
      return;
    }
    if (answered.event !== 'action.decided') throw new Error(answered.event);
    expect(inFormOf(then, answered.decision)).toEqual(then);
  });

  test('there are cases', () => {
    expect(CASES.length).toBe(169 + 420);
  });
});

function expectLoad({ config }: Given, then: Then): void {
  const { ok, errors, warnings } = loadCategories(textOf(config));
  const placed = (faults: readonly { code: string; path: string; line: number; column: number }[]) =>
    faults.map(({ code, path, line, column }) => ({ code, path, line, column }));
  const asSet = (faults: readonly object[] = []) => new Set(faults.map((one) => JSON.stringify(one)));
  expect({ ok, errors: asSet(placed(errors)), warnings: asSet(placed(warnings)) }).toEqual({
    ok: then.ok,
    errors: asSet(then.errors),
    warnings: asSet(then.warnings),
  });
}

function valuesOf({ create, update, delete: deletes, ...fields }: EffectivePolicy): object {
  return {
    defaultTtl: fields.defaultTtl.value,
    maxContentLength: fields.maxContentLength.value,
    permissions: { create: create.value, update: update.value, delete: deletes.value },
    subcategoryCreation: fields.subcategoryCreation.value,
  };
}

function deciderOf(categories: object, now: string): OfflineDecider {
  const document = { version: 1, id: 'm', agents: ['scribe'], governance: { categories } };
  const loaded = loadMandates(JSON.stringify(document));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  return offlineDecider(
    mandatesOfFile(loaded.mandates, 1),
    (action) => action,
    manualClock(Date.parse(now)),
    contentFinders,
  );
}

function ask(decider: OfflineDecider, action: object) {
  return decider.answer(new TextEncoder().encode(JSON.stringify({ event: 'action.requested', action })));
}
