/**
 * The changes that add a kind of action: `note_read`, with a check, a code and an obligation. A new kind may change
 * six files.
 */
import type { Change } from '../../faults/support/another-build.ts';

const ACTION = 'schemas/src/action.ts';
const DECIDE = 'packages/policy/src/decide.ts';

export const TOY_KIND: readonly Change[] = [
  {
    file: ACTION,
    from: "export const action = z.discriminatedUnion('type', [\n  toolCall,\n",
    to: `export const noteRead = z.strictObject({
  ...everyAction,
  type: z.literal('note_read'),
  notebook: plainId,
  query: z.string().optional(),
});

export const action = z.discriminatedUnion('type', [
  noteRead,
  toolCall,
`,
  },
  {
    file: ACTION,
    from: '  z.object({ ...llmCall.shape, ...remembered }),\n',
    to: '  z.object({ ...llmCall.shape, ...remembered }),\n  z.object({ ...noteRead.shape, ...remembered }),\n',
  },
  {
    file: 'schemas/src/action-kinds.ts',
    from: "  llm_call: { judgedAs: 'model', subject: 'model', freeFields: [] },\n",
    to: `  llm_call: { judgedAs: 'model', subject: 'model', freeFields: [] },
  note_read: { judgedAs: 'own', subject: 'notebook', freeFields: ['query'] },
`,
  },
  {
    file: 'schemas/src/codes.ts',
    from: "  'RULES_TOO_COSTLY',\n",
    to: "  'RULES_TOO_COSTLY',\n  'NOTEBOOK_NOT_ALLOWED',\n",
  },
  {
    file: 'packages/policy/src/checks/notebook-allowed.ts',
    text: `import { blocked, obliging, type StaticCheck } from './check.ts';

/** Only the notebook of the team may be read, and at most three notes of it. */
export const notebookAllowed: StaticCheck = ({ type }) => {
  if (type !== 'note_read') return null;
  return ({ name: notebook }) =>
    notebook === 'team'
      ? obliging('notebook-allowed', { notebook }, { obligations: { maxResults: 3 } })
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
    file: DECIDE,
    from: 'import { openCalls }',
    to: "import { notebookAllowed } from './checks/notebook-allowed.ts';\nimport { openCalls }",
  },
  { file: DECIDE, from: '  argumentsValid,\n', to: '  argumentsValid,\n  notebookAllowed,\n' },
];
