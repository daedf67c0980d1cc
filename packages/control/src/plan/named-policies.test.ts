import { expect, test } from 'vitest';
import { loadControl } from '../load-control.ts';
import { type CurrentDocument, currentDocumentsOf } from './current-documents.ts';
import { missingPolicies, versionsLeftOut } from './named-policies.ts';
import { planChanges } from './plan-changes.ts';

function documentsIn(...lines: readonly string[]) {
  const read = loadControl(lines.join('\n---\n'));
  if (!read.ok) throw new Error(JSON.stringify(read.faults));
  return read.documents;
}

const policy = (id: string, tools = '') =>
  `{ kind: policy, version: 1, id: ${id}, allowedTools: [${tools}] }`;
const rule = (named: string) => `{ kind: rule, version: 1, id: r, policy: '${named}' }`;
const plane = (versions: number, isArchived = false): CurrentDocument[] =>
  currentDocumentsOf(documentsIn(policy('p'))).map((one) => ({ ...one, versions, isArchived }));

test.each<[string, { files: string[]; current?: CurrentDocument[]; prune?: true }, string | null]>([
  ['in the files', { files: [policy('p'), rule('p')] }, null],
  ['on the plane', { files: [rule('p')], current: plane(1) }, null],
  ['nowhere', { files: [policy('p'), rule('raed')] }, 'there is no such policy'],
  ['nowhere, in a version', { files: [rule('p@1')] }, 'there is no such policy'],
  ['archived', { files: [rule('p')], current: plane(2, true) }, 'that policy is archived'],
  ['archived, in a version', { files: [rule('p@1')], current: plane(2, true) }, 'that policy is archived'],
  ['brought back', { files: [policy('p'), rule('p')], current: plane(1, true) }, null],
  ['brought back as another version', { files: [policy('p'), rule('p@2')], current: plane(1, true) }, null],
  [
    'removed by the plan',
    { files: [rule('p')], current: plane(1), prune: true },
    'that policy is removed, because no file contains it',
  ],
  ['of fewer versions', { files: [policy('p'), rule('p@2')] }, 'that policy has one version'],
  ['unchanged', { files: [policy('p'), rule('p@3')], current: plane(2) }, 'that policy has 2 versions'],
  ['of the version that is to be made', { files: [policy('p', 'x'), rule('p@3')], current: plane(2) }, null],
])('tells whether the policy of a rule will exist: %s', (_, { files, current = [], prune = false }, why) => {
  const wanted = documentsIn(...files);
  const changes = planChanges(wanted, current, { prune, atMs: 0 });
  const named = wanted.rules.get('r')?.policy;
  expect([...missingPolicies(wanted.rules, current, changes)]).toEqual(
    why === null ? [] : [['r', `the rule "r" names ${named}, and ${why}`]],
  );
  // A rule with a missing policy only blocks, so it allows nothing new. With `prune`, the policy is removed only
  // after the rule is added.
  const put = changes.find(({ kind, does }) => kind === 'rule' && does === 'add');
  if (put !== undefined && !prune) expect(put.widens.length > 0).toBe(why === null);
});

test.each([
  ['p@1', plane(1), 0],
  ['p', plane(3), 0],
  ['p@2', plane(3), 1],
  ['p@2', plane(3, true), 0],
])('finds a rule whose policy version is not written: %s', (named, current, told) => {
  const { rules } = documentsIn(rule(named));
  const line = `the rule "r" names ${named}, but only the last of 3 versions is written`;
  expect(versionsLeftOut(rules, current)).toEqual(Array(told).fill(line));
});
