/**
 * Rules that name one version of a policy: `read-only@3`. Files hold one document of a policy, and each plane counts the versions
 * that were published there: so such a rule may mean another in one plane than in the next, or none.
 */
import { policyNamed, type RuleDocument } from '@mandate/schemas';
import { printableLines } from '../output/printable.ts';
import type { Change } from './plan-changes.ts';
import type { Standing } from './standing-control.ts';

type Rules = ReadonlyMap<string, Pick<RuleDocument, 'policy'>>;

/** How many versions there are of a policy. */
type Versions = (policyId: string) => number;

export function versionsIn(standing: readonly Standing[]): Versions {
  const all = new Map(standing.map(({ kind, id, versions }) => [`${kind} ${id}`, versions]));
  return (policyId) => all.get(`policy ${policyId}`) ?? 0;
}

/** Once these changes are made. */
export function versionsAfter(changes: readonly Change[], before: Versions): Versions {
  const made = new Set(changes.filter(({ after }) => after !== null).map(({ kind, id }) => `${kind} ${id}`));
  return (policyId) => before(policyId) + (made.has(`policy ${policyId}`) ? 1 : 0);
}

/** Of rules that are to stand: those that name a version which there is not. A line each. */
export function missingVersions(rules: Rules, versions: Versions): readonly string[] {
  return pinned(rules, versions)
    .filter(({ version, there }) => version > there)
    .map(
      ({ id, policy, there }) => `the rule "${id}" names ${policy}, and that policy has ${inWords(there)}`,
    );
}

/** Of rules that are to be kept with the latest version of each policy: those that name one of several. A line each. */
export function versionsLeftOut(rules: Rules, versions: Versions): readonly string[] {
  return pinned(rules, versions)
    .filter(({ there }) => there > 1)
    .map(
      ({ id, policy, there }) =>
        `the rule "${id}" names ${policy}, and of ${there} versions only the last is written`,
    );
}

/** For stderr; empty: nothing. */
export function versionWarnings(lines: readonly string[], remedy: string): string {
  if (lines.length === 0) return '';
  return printableLines([...lines.map((line) => `mandate: warning: ${line}\n`), `  ${remedy}\n`].join(''));
}

function pinned(rules: Rules, versions: Versions) {
  return [...rules].flatMap(([id, { policy }]) => {
    const named = policyNamed(policy);
    return named.version === null ? [] : [{ id, policy, version: named.version, there: versions(named.id) }];
  });
}

function inWords(versions: number): string {
  return versions === 0 ? 'none' : versions === 1 ? 'one version' : `${versions} versions`;
}
