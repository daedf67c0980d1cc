/**
 * Tests that files written by `mandate pull` describe the plane exactly: `mandate apply` then finds nothing to
 * change.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type CurrentDocument, currentDocumentsOf, documentsOf, planChanges } from '@mandate/control/plan';
import { agentDocument, policyDocument, ruleDocument } from '@mandate/schemas';
import { temporaryFolder } from '@mandate/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { controlFilesIn } from './control-files.ts';
import { documentText, pathFor } from './document-file.ts';

/** Texts that YAML or a file system could misread. */
const STRANGE = [
  'a',
  'A',
  'yes',
  '0x10',
  '1e3',
  '~',
  'null',
  '.',
  '..a',
  '.hidden',
  'mail.test',
  'a/b',
  'a\\b',
  'a:b',
  '#a',
  '- a',
  '*',
  '&a',
  '!a',
  '%2E',
  '2026-01-01',
  'é',
  'e\u0301',
  '🤖',
  "it's",
  '"',
  'x'.repeat(200),
  '🤖'.repeat(100),
  'con',
  '<<',
  '---',
  '...',
  ' padded ',
  'two\nlines',
  'tab\t',
  '\u0007',
  '',
  '@',
  '`',
];
const text = fc.oneof(fc.constantFrom(...STRANGE), fc.string({ unit: 'grapheme', maxLength: 20 }));
const isOf = (schema: { safeParse(value: unknown): { success: boolean } }) => (value: unknown) =>
  schema.safeParse(value).success;
const id = text.filter(
  (one) => /^[^\p{C}\p{Z}@*]+$/u.test(one) && !/^\.{1,2}$/.test(one) && one.length <= 200,
);
const list = (of: fc.Arbitrary<string>) => fc.array(of, { minLength: 1, maxLength: 4 });
const label = fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean());

const agent = fc
  .record(
    {
      id,
      name: text.filter((one) => one !== '' && one.length <= 200),
      groups: list(id),
      labels: fc.dictionary(
        text.filter((one) => one !== '' && one.length <= 200),
        label,
        { noNullPrototype: true },
      ),
    },
    { requiredKeys: ['id'] },
  )
  .filter(isOf(agentDocument))
  .map((one) => agentDocument.parse(one));

const policy = fc
  .record(
    {
      version: fc.constant(1),
      id,
      maxCostTotal: fc.constantFrom(0, 0.000001, 0.1, 9007199254),
      allowedTools: list(text.filter((one) => one !== '')),
      budgets: fc.uniqueArray(
        fc.record({ id, scope: fc.constantFrom('agent', 'tenant'), max: fc.constantFrom(0, 5.25) }),
        {
          selector: (budget) => budget.id,
          maxLength: 3,
        },
      ),
      toolPolicies: fc.dictionary(
        id,
        fc.record({ cost: fc.constantFrom(0.01, 1), requiresConfirmation: fc.boolean() }),
        {
          noNullPrototype: true,
        },
      ),
    },
    { requiredKeys: ['id', 'version'] },
  )
  // A policy with a limit for a tool that it does not allow is invalid. So the policy gets a pattern that allows all
  // tools.
  .map((one) =>
    one.allowedTools && one.toolPolicies ? { ...one, allowedTools: [...one.allowedTools, '*'] } : one,
  )
  .filter(isOf(policyDocument))
  .map((one) => policyDocument.parse(one));

const rule = fc
  .record(
    {
      version: fc.constant(1),
      id,
      policy: id.map((one) => `${one}@3`),
      agents: list(text.filter((one) => one !== '')),
      when: fc.record({ field: fc.constant('context.environment'), op: fc.constant('=='), value: label }),
      endsAt: fc.constant('2026-03-01T12:00:00Z'),
    },
    { requiredKeys: ['id', 'version', 'policy'] },
  )
  .filter(isOf(ruleDocument))
  .map((one) => ruleDocument.parse(one));

const kinds = [
  ['agent', agent],
  ['policy', policy],
  ['rule', rule],
] as const;
const current = fc
  .tuple(
    ...kinds.map(([kind, of]) =>
      fc.uniqueArray(
        fc.record({
          kind: fc.constant(kind),
          document: of as fc.Arbitrary<CurrentDocument['document']>,
          isArchived: kind === 'policy' ? fc.boolean() : fc.constant(false),
        }),
        { selector: ({ document }) => document.id, maxLength: 6 },
      ),
    ),
  )
  .map((lists) =>
    lists
      .flat()
      .map((one): CurrentDocument => ({ ...one, id: String(one.document.id), revision: 1, versions: 1 })),
  );

it('writes one file for each document, and reads the same documents back', () => {
  fc.assert(
    fc.property(current, (all) => {
      const written = currentDocumentsOf(documentsOf(all));
      const folder = temporaryFolder();
      const taken = new Set<string>();
      for (const { kind, id, document } of written) {
        const path = join(folder, pathFor(kind, id, taken));
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, documentText(kind, document), { flag: 'wx' });
      }
      expect(taken.size).toBe(all.filter(({ isArchived }) => !isArchived).length);
      expect(planChanges(controlFilesIn([folder]).documents, all, { prune: true, atMs: Date.now() })).toEqual(
        [],
      );
    }),
    { numRuns: 10 },
  );
});

it('chooses a file name that shows the id and that every file system accepts', () => {
  const taken = new Set<string>();
  const path = (id: string) => pathFor('policy', id, taken);
  expect(path('read-only')).toBe('policies/read-only.yaml');
  expect(path('Read-Only')).toMatch(/^policies\/Read-Only~[0-9a-f]{12}\.yaml$/);
  expect(path('../up/.x')).toBe('policies/%2E.%2Fup%2F.x.yaml');
  expect(path('mail.test')).toBe('policies/mail%2Etest.yaml');
  expect(path('🤖'.repeat(100)).length).toBeLessThan(250);
});

it('writes JSON if YAML would need more lines than a file may have', () => {
  const value = Array.from({ length: 1_000 }, (_, at) => at);
  const all = Array.from({ length: 31 }, () => ({ field: 'context.n', op: 'in', value }));
  const rule = ruleDocument.parse({ version: 1, id: 'r', policy: 'p', when: { all } });
  expect(documentText('rule', rule)).toMatch(/^\{"kind":"rule","version":1,/);
});
