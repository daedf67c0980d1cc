import { ACTION_KINDS } from '@mandate/schemas/core';
import { compilePolicy } from '../mandate/compile-mandate.ts';
import type { Calls } from './check.ts';

/** Returns calls that state no estimate, under a policy with these fields. Tool calls are calls of the tool `pay`. */
export function callsUnder(fields: object = {}, type: Calls['type'] = 'tool_call'): Calls {
  const read = compilePolicy({ version: 1, id: 'p', ...fields } as never, 'p@1');
  if (!read.ok) throw new Error(JSON.stringify(read.faults));
  const tool = read.compiled.tools.get('pay') ?? null;
  const { judgedAs } = ACTION_KINDS[type];
  return { type, judgedAs, statesEstimate: false, policy: read.compiled, at: 0, tool };
}
