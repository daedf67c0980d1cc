import { expect, test } from 'vitest';
import { z } from 'zod';
import { sayIssue } from './say-issue.ts';
import { shapeFaults } from './shape-fault.ts';

const call = z.strictObject({ action: z.strictObject({ tool: z.string() }) });
const issue = z.strictObject({ agentId: z.string(), context: z.record(z.string(), z.string()).optional() });

function pathsOf(value: unknown, ...forms: [z.ZodType, z.ZodType]): string[] {
  const { error } = z.union(forms).safeParse(value, { error: sayIssue });
  return error === undefined ? [] : shapeFaults(error).map(({ path }) => path.join('.'));
}

test.each<[string, unknown, string[]]>([
  ['one that fits', { agentId: 'a' }, []],
  ['the one that it came furthest in', { action: { tool: 1 }, agentId: 1 }, ['agentId', 'action.tool']],
  ['the one in which least is amiss', { agentId: 1 }, ['agentId']],
  ['a name that is misspelt in one of them', { agentId: 'a', contxt: {} }, ['contxt']],
])('of two forms: %s, in whichever order they stand', (_, value, paths) => {
  expect(pathsOf(value, call, issue)).toEqual(paths);
  expect(pathsOf(value, issue, call)).toEqual(paths);
});
