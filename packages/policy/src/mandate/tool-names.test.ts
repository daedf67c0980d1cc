import { describe, expect, test } from 'vitest';
import { compilePolicy } from './compile-mandate.ts';

type Document = Parameters<typeof compilePolicy>[0];

function faults(fields: Partial<Document>, options = {}): string[] {
  const compiled = compilePolicy({ version: 1, id: 'p', ...fields }, null, options);
  return compiled.ok ? [] : compiled.faults.map(({ path, message }) => `${path.join('.')} ${message}`);
}

const limits = (...names: string[]) => ({
  toolPolicies: Object.fromEntries(names.map((name) => [name, { cost: 1 }])),
});

describe('a limit for an unknown tool name is an error', () => {
  test.each<[string, Partial<Document>, string[]]>([
    [
      'a misspelt name, if tools are declared',
      { tools: ['send_mail', 'read'], ...limits('send_maill') },
      ['toolPolicies.send_maill is not among `tools`, so this limits nothing; did you mean "send_mail"?'],
    ],
    [
      'a name in another letter case',
      { tools: ['send_mail'], ...limits('Send_Mail') },
      ['toolPolicies.Send_Mail is not among `tools`, so this limits nothing; did you mean "send_mail"?'],
    ],
    [
      'a name that is similar to no declared tool',
      { tools: ['send_mail'], ...limits('wipe') },
      ['toolPolicies.wipe is not among `tools`, so this limits nothing'],
    ],
    [
      'a name that nothing allows, if another tool has no limit',
      { allowedTools: ['send_mail', 'read'], ...limits('send_maill', 'read') },
      [
        'toolPolicies.send_maill is not in allowedTools or delegableTools, so this limits nothing; did you mean "send_mail"?',
      ],
    ],
  ])('%s', (_what, fields, told) => {
    expect(faults(fields)).toEqual(told);
  });

  test('suggests the intended name for the first few faults only', () => {
    const names = Array.from({ length: 50 }, (_, at) => `send_maill_${at}`);
    const told = faults({ tools: ['send_mail_1'], ...limits(...names) });
    expect(told).toHaveLength(50);
    expect(told.filter((one) => one.includes('did you mean'))).toHaveLength(5);
  });
});

describe('accepts a limit for a tool', () => {
  test.each<[string, Partial<Document>]>([
    ['a declared name', { tools: ['send_mail'], ...limits('send_mail') }],
    ['a declared name that is not allowed', { tools: ['a', 'b'], allowedTools: ['a'], ...limits('b') }],
    ['a name that no pattern allows', { allowedTools: ['get_*'], ...limits('got_user') }],
    ['a name that a pattern allows', { allowedTools: ['send_*'], ...limits('send_mail') }],
    ['a delegable name', { allowedTools: ['read'], delegableTools: ['send_*'], ...limits('send_mail') }],
    ['a name in a policy without a list of allowed tools', limits('send_mail')],
    [
      'a name that was removed from the list, if nothing is allowed',
      { allowedTools: [], ...limits('send_mail') },
    ],
    [
      'a name that was removed from the list, if every remaining tool has a limit',
      { allowedTools: ['read'], ...limits('send_mail', 'read') },
    ],
  ])('%s', (_what, fields) => {
    expect(faults(fields)).toEqual([]);
  });

  test('any name, if the document is already on the log', () => {
    expect(faults({ tools: ['send_mail'], ...limits('send_maill') }, { isOnLog: true })).toEqual([]);
  });
});
