/** GET /v1/lint: what is amiss in the policies and rules of a tenant, though every document of it is good. */
import type { LintedDocument } from '@mandate/control/lint';
import { callerOf, HttpProblem, type HttpRequest, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import type { Control } from '../control.ts';
import { MAY_READ, sendJson } from './shapes.ts';

const finding = z.object({
  code: z.string().describe('What kind of finding it is, as a stable code.'),
  severity: z.enum(['error', 'warning']).describe('How severe it is.'),
  rules: z.array(z.string()).describe('The rules that it is about.'),
  policies: z.array(z.string()).describe('The policies that it is about.'),
  message: z.string().describe('What is wrong, as a sentence.'),
  remedy: z.string().describe('What to do about it.'),
});

const answer = z.object({
  findings: z.array(finding),
  complete: z.boolean().describe('false: all of it would have taken longer than a second or two.'),
  skipped: z
    .array(z.object({ code: z.string(), of: z.string(), count: z.int() }))
    .describe('What was not looked at: findings of this code may be missing, about so many of these.'),
});

export const lint = z
  .array(finding)
  .nullable()
  .describe(
    'What is amiss about it, though it is in force: as GET /v1/lint says it, for the first 100 agents that it holds. null: too much is looked at already; ask GET /v1/lint.',
  );

/** The change took effect, so that nothing can be said of it is no failure. */
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

/** Where looking was given up as a whole, nothing was found, and that is said. */
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
        summary: 'What is amiss: what blocks where somebody may have meant to allow, and what does nothing',
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
