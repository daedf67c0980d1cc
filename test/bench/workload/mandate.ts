/** Makes the mandates of the benches. They contain every kind of limit, and no limit is ever reached. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MandateOfFile } from '@mandate/policy';
import { loadMandates } from '@mandate/policy/documents';
import { SCHEMA_TOOLS, toolNamed } from './actions.ts';

/** The tool that has a cost and a rate in the mandate. */
export const LIMITED_TOOL = toolNamed(0, 'known');

/** @param globs the number of globs, spread over these forms: names, `a*`, `*a`, `a*b`, `*a*` */
export function mandateDocument({ globs, schemas = false }: { globs: number; schemas?: boolean }): object {
  const allowedTools = Array.from({ length: globs - 3 }, (_, index) => globNumber(index));
  return {
    version: 1,
    id: 'bench',
    agents: ['*'],
    maxCostTotal: 1_000_000_000,
    maxCostPerCall: 100,
    budgets: [
      { id: 'team', scope: 'tenant', max: 1_000_000_000, windowMs: 86_400_000 },
      { id: 'hour', scope: 'agent', max: 1_000_000_000, windowMs: 3_600_000 },
    ],
    rateLimit: { maxCalls: 100_000, windowMs: 60_000 },
    allowedTools,
    deniedTools: ['*_admin', 'delete_*'],
    allowedModels: ['claude-*'],
    toolPolicies: {
      [LIMITED_TOOL]: { cost: 0.1, rateLimit: { maxCalls: 100_000, windowMs: 60_000 } },
      ...(schemas ? Object.fromEntries(SCHEMA_TOOLS.map((tool) => [tool, { argumentValidation }])) : {}),
    },
  };
}

const argumentValidation = {
  schema: {
    type: 'object',
    required: ['query', 'limit'],
    properties: {
      query: { type: 'string', minLength: 1, maxLength: 200, pattern: '^[a-z ]+$' },
      limit: { type: 'integer', minimum: 1, maximum: 100 },
      filters: { type: 'array', maxItems: 5, items: { type: 'object', required: ['field'] } },
    },
  },
  validators: ['noSystemPaths'],
};

function globNumber(index: number): string {
  return [`get${index}_*`, `*_report${index}`, `crm${index}_*_read`, `send${index}_mail`, `*area${index}.*`][
    index % 5
  ] as string;
}

export function mandateOf(document: object): MandateOfFile {
  const loaded = loadMandates(JSON.stringify(document));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  const [mandate] = loaded.mandates;
  if (mandate === undefined) throw new Error('the document holds no mandate');
  return mandate;
}

/** Writes the mandate to a file, as a user would, and returns its path. */
export function mandatesFileIn(folder: string): string {
  const path = join(folder, 'bench-mandates.yaml');
  writeFileSync(path, JSON.stringify(mandateDocument({ globs: 10 })));
  return path;
}
