/** GET /v1/lint: what is amiss in the policies and rules of a tenant, though every document of it is good. */
import { type LintedDocument, type LintFinding, lintAround, lintControl } from '@mandate/policy';
import { callerOf, type HttpServer } from '@mandate/runtime';
import { z } from 'zod';
import type { Control } from '../control.ts';
import { MAY_READ } from './shapes.ts';

const finding = z.object({
  code: z.string(),
  severity: z.enum(['error', 'warning']),
  rules: z.array(z.string()),
  policies: z.array(z.string()),
  message: z.string(),
  remedy: z.string(),
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
  .describe(
    'What is amiss about it, though it is in force: as GET /v1/lint says it, for the first 100 agents that it holds.',
  );

export async function lintOf(
  { followed, clock, fileKeys }: Control,
  request: Parameters<typeof callerOf>[0],
  around: LintedDocument,
): Promise<z.output<typeof lint>> {
  const { tenant } = callerOf(request);
  const keys = await fileKeys(tenant);
  return shown(lintAround(followed.tenant(tenant), clock(), around, keys));
}

function shown(found: readonly LintFinding[]): z.output<typeof lint> {
  return found.map(({ rules, policies, ...rest }) => ({
    ...rest,
    rules: [...rules],
    policies: [...policies],
  }));
}

export function showLint(server: HttpServer, { followed, clock, fileKeys }: Control): void {
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
    async (request) => {
      const { tenant } = callerOf(request);
      const keys = await fileKeys(tenant);
      const { findings, skipped } = lintControl(followed.tenant(tenant), clock(), { fileKeys: keys });
      return { findings: shown(findings), complete: skipped.length === 0, skipped: [...skipped] };
    },
  );
}
