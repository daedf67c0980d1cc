/**
 * GET /v1/lint: problems in the policies and rules of a tenant that arise although each document on its own is valid.
 */
import type { LintedDocument } from '@mandate/control/lint';
import { described } from '@mandate/schemas';
import { callerOf, HttpProblem, type HttpRequest, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import type { Control } from '../control.ts';
import { MAY_READ, sendJson } from './shapes.ts';

const finding = z.object({
  code: described(z.string(), 'The kind of finding, as a stable code.', 'POLICY_MISSING'),
  severity: described(z.enum(['error', 'warning']), 'How severe it is.'),
  rules: described(z.array(z.string()), 'The rules with the problem.', ['support-reads']),
  policies: described(z.array(z.string()), 'The policies with the problem.', ['read-only']),
  message: described(
    z.string(),
    'What is wrong, as a sentence.',
    'The rule "support-reads" names the policy "read-only", which does not exist.',
  ),
  remedy: described(z.string(), 'What to do about it.', 'Publish the policy, or remove the rule.'),
});

const answer = z.object({
  findings: described(z.array(finding), 'What is wrong or doubtful.'),
  complete: described(
    z.boolean(),
    'Whether every document was checked. false: the check was stopped after a second or two.',
    true,
  ),
  skipped: described(
    z.array(
      z.object({
        code: described(z.string(), 'The code of the findings that may be missing.', 'RULE_MATCHES_NOBODY'),
        of: described(z.string(), 'The kind of documents that were not checked.', 'rules'),
        count: described(z.int(), 'How many of these documents were not checked.', 120),
      }),
    ),
    'The checks that were not done. Findings with these codes may be missing.',
  ),
});

export type Finding = z.output<typeof finding>;

export const lint = described(
  z.array(finding).nullable(),
  'What is wrong or doubtful about the document. The document is in force all the same. Only the first 100 ' +
    'agents to which the document applies are checked. null: the service is busy. Ask GET /v1/lint.',
);

/**
 * Returns the findings about a document after its change. Null if the check of the document fails, because the change
 * has already taken effect.
 */
export async function lintOf(
  control: Control,
  request: HttpRequest,
  document: LintedDocument,
): Promise<z.output<typeof lint>> {
  const { tenant } = callerOf(request);
  const fileKeys = await control.fileKeys(tenant);
  const job = { kind: 'lint around' as const, tenant, atMs: control.clock(), document, fileKeys };
  const text = await control.apart.answerIfPossible(request, job);
  return text === null ? null : JSON.parse(text);
}

/**
 * Returns the answer for a search that was given up: no findings, and marked as incomplete. Throws any other error.
 */
function incomplete(error: unknown): string {
  if (!(error instanceof HttpProblem) || error.code !== 'TAKES_TOO_LONG') throw error;
  return JSON.stringify({ findings: [], complete: false, skipped: [] } satisfies z.output<typeof answer>);
}

export function showLint(server: HttpServer, control: Control): void {
  server.get(
    '/v1/lint',
    {
      config: { scope: MAY_READ },
      schema: {
        tags: ['rules'],
        summary:
          'Find mistakes: documents that block more than their author may mean, and documents without effect',
        response: { 200: answer },
      },
    },
    async (request, reply) => {
      const { tenant } = callerOf(request);
      const fileKeys = await control.fileKeys(tenant);
      const job = { kind: 'lint' as const, tenant, atMs: control.clock(), fileKeys };
      return sendJson(reply, await control.apart.answer(request, job).catch(incomplete));
    },
  );
}
