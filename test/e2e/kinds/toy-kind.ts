/**
 * What it takes to add a kind of action: `note_read`, with a check and an obligation. Each entry changes one file of a copy of
 * the repository. A new kind must not need more than six.
 */
export type Edit =
  | { file: string; text: string }
  | { file: string; changes: readonly { find: string; replace: string }[] };

export const TOY_KIND: readonly Edit[] = [
  {
    file: 'schemas/src/action.ts',
    changes: [
      {
        find: '/** Every kind of action:',
        replace: `const noteRead = z.strictObject({
  ...everyAction,
  type: z.literal('note_read'),
  notebook: plainId,
  query: z.string().optional(),
});

/** Every kind of action:`,
      },
      { find: '[toolCall, llmCall]', replace: '[toolCall, llmCall, noteRead]' },
      {
        find: '  z.object({ ...llmCall.shape, ...remembered }),\n',
        replace:
          '  z.object({ ...llmCall.shape, ...remembered }),\n  z.object({ ...noteRead.shape, ...remembered }),\n',
      },
    ],
  },
  {
    file: 'schemas/src/action-kinds.ts',
    changes: [
      {
        find: "  llm_call: { judgedAs: 'model', subject: 'model', freeFields: [] },\n",
        replace: `  llm_call: { judgedAs: 'model', subject: 'model', freeFields: [] },
  note_read: { judgedAs: 'own', subject: 'notebook', freeFields: ['query'] },
`,
      },
    ],
  },
  {
    file: 'schemas/src/codes.ts',
    changes: [
      { find: "  'RULES_TOO_COSTLY',\n", replace: "  'RULES_TOO_COSTLY',\n  'NOTEBOOK_NOT_ALLOWED',\n" },
    ],
  },
  {
    file: 'packages/policy/src/checks/notebook-allowed.ts',
    text: `import { blocked, obliging, type StaticCheck } from './check.ts';

/** Only the notebook of the team may be read, and at most three notes of it. */
export const notebookAllowed: StaticCheck = ({ type }) => {
  if (type !== 'note_read') return null;
  return ({ name: notebook }) =>
    notebook === 'team'
      ? obliging('notebook-allowed', { notebook }, { maxResults: 3 })
      : blocked(
          'notebook-allowed',
          { notebook },
          {
            code: 'NOTEBOOK_NOT_ALLOWED',
            reason: \`The notebook "\${notebook}" may not be read.\`,
            remedy: 'Read the notebook "team".',
          },
        );
};
`,
  },
  {
    file: 'packages/policy/src/decide.ts',
    changes: [
      {
        find: 'import { openCalls }',
        replace: "import { notebookAllowed } from './checks/notebook-allowed.ts';\nimport { openCalls }",
      },
      { find: '  argumentsValid,\n', replace: '  argumentsValid,\n  notebookAllowed,\n' },
    ],
  },
];
