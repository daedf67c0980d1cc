/**
 * Finds policies by the names that rules use: `read-only`, or one version of it, `read-only@3`. If the policy of a
 * rule is missing, the rule blocks its agents. Files contain one document of a policy, but each plane counts the
 * versions that were published there. So a rule that names a version may mean another version in another plane, or
 * none.
 */

import { policyNamed, type RuleDocument } from '@mandate/schemas';
import type { ControlDocuments } from '../load-control.ts';
import type { Change } from './change.ts';
import type { CurrentDocument } from './current-documents.ts';
import { type WhatWillBe, whatWillBeOf } from './what-will-be.ts';

type Rules = ReadonlyMap<string, Pick<RuleDocument, 'policy'>>;

/** Returns one line, by rule id, for each rule in the files whose policy will not exist after the changes. */
export function missingPolicies(
  rules: Rules,
  current: readonly CurrentDocument[],
  changes: readonly Change[] = [],
): ReadonlyMap<string, string> {
  const policyOf = whatWillBeOf('policy', current, changes);
  return new Map(
    [...rules].flatMap(([id, { policy }]): [string, string][] => {
      const named = policyNamed(policy);
      const why = whyMissing(named.version, policyOf(named.id));
      return why === null ? [] : [[id, `the rule "${id}" names ${policy}, and ${why}`]];
    }),
  );
}

/**
 * Returns one line for each rule that names a version. Such a rule breaks if only the latest version of each policy
 * is kept.
 */
export function versionsLeftOut(rules: Rules, current: readonly CurrentDocument[]): readonly string[] {
  const policyOf = whatWillBeOf('policy', current);
  return [...rules].flatMap(([id, { policy }]) => {
    const named = policyNamed(policy);
    const { before } = policyOf(named.id);
    if (named.version === null || before === undefined || before.isArchived || before.versions < 2) return [];
    return [`the rule "${id}" names ${policy}, but only the last of ${before.versions} versions is written`];
  });
}

/**
 * Changes the rules of files so that each names its policy without a version, because files contain one document of
 * each policy. `told`: one line for each rule that named a version.
 */
export function withTheOnlyVersion({ rules, policies }: Pick<ControlDocuments, 'rules' | 'policies'>): {
  rules: ControlDocuments['rules'];
  told: readonly string[];
} {
  const pinned = [...rules.values()].filter(({ policy }) => {
    const { id, version } = policyNamed(policy);
    return version !== null && policies.has(id);
  });
  const latest = pinned.map((rule) => [rule.id, { ...rule, policy: policyNamed(rule.policy).id }] as const);
  return {
    rules: new Map([...rules, ...latest]),
    told: pinned.map(
      ({ id, policy }) =>
        `the rule "${id}" names ${policy}, but files contain only one version of that policy`,
    ),
  };
}

function whyMissing(version: number | null, { before, change }: WhatWillBe): string | null {
  if (change?.does === 'remove') return 'that policy is removed, because no file contains it';
  if (change === undefined && before === undefined) return 'there is no such policy';
  if (change === undefined && before?.isArchived) return 'that policy is archived';
  const versions = (before?.versions ?? 0) + (change === undefined ? 0 : 1);
  if (version === null || version <= versions) return null;
  return `that policy has ${versions === 1 ? 'one version' : `${versions} versions`}`;
}
