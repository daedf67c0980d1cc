import { describe, expect, test } from 'vitest';
import { upstreamHeaders } from './upstream-headers.ts';

const ENV = { TOKEN: 'sk-of-token', EMPTY: '', BAD: 'sk-of-\nbad' };

test.each([
  [`Authorization: Bearer \${TOKEN}`, ['Authorization', 'Bearer sk-of-token']],
  ['X-Org:acme', ['X-Org', 'acme']],
  [`X: \${TOKEN}\${TOKEN}`, ['X', 'sk-of-tokensk-of-token']],
  [`X: \${NONE:-main}`, ['X', 'main']],
  [`X: \${EMPTY:-main}`, ['X', 'main']],
  [`X: a\${NONE:-}b`, ['X', 'ab']],
  [`X: a\${EMPTY}b`, ['X', 'ab']],
  [`X: \${TOKEN:-main}`, ['X', 'sk-of-token']],
  ['X: $TOKEN costs $5: {a}', ['X', '$TOKEN costs $5: {a}']],
])('reads --header %j', (text, headers) => {
  expect(upstreamHeaders([text], [], ENV)).toEqual(headers);
});

test.each([
  ['X-Key=TOKEN', ['X-Key', 'sk-of-token']],
  ['X-Key = TOKEN', ['X-Key', 'sk-of-token']],
  ['X-Key=EMPTY', ['X-Key', '']],
])('reads --header-env %j', (text, headers) => {
  expect(upstreamHeaders([], [text], ENV)).toEqual(headers);
});

test('does not replace the name of a variable inside the value of another variable', () => {
  expect(upstreamHeaders([`X: \${A}`], ['Y=A'], { A: `\${TOKEN}` })).toEqual([
    'X',
    `\${TOKEN}`,
    'Y',
    `\${TOKEN}`,
  ]);
});

describe('refuses, and shows no value:', () => {
  test.each([
    [[`X: \${NONE}`], [], 'the environment variable NONE is not set'],
    [[`X: \${NONE`], [], 'without the name of a variable'],
    [[`X: \${}`], [], 'without the name of a variable'],
    [[`X: \${1A:-sk-of-default}`], [], 'without the name of a variable'],
    [['sk-of-text'], [], 'a value of --header is no header'],
    [['sk of text: x'], [], 'a value of --header is no header'],
    [[': x'], [], 'a value of --header is no header'],
    [[`X: \${BAD}`], [], 'the value of the header X has a character that no header may have'],
    [['X: sk-of-Ł'], [], 'the value of the header X has a character that no header may have'],
    [['Mcp-Session-Id: a'], [], 'the proxy itself writes the header Mcp-Session-Id'],
    [['content-type: a'], [], 'the proxy itself writes the header content-type'],
    [['Mcp-Param-A: a'], [], 'the proxy itself writes the header Mcp-Param-A'],
    [['X: a'], ['x=TOKEN'], 'the header x is given twice'],
    [[], ['X=NONE'], 'the environment variable NONE is not set'],
    [[], ['X=sk-of-text'], 'a value of --header-env names no variable'],
    [[], ['sk-of-text'], 'a value of --header-env names no header'],
  ])('%j %j', (texts, fromEnv, message) => {
    let said = '';
    try {
      upstreamHeaders(texts, fromEnv, ENV);
    } catch (error) {
      said = `${(error as Error).message} ${(error as { remedy?: string }).remedy}`;
    }
    expect(said).toContain(message);
    expect(said).not.toContain('sk-of');
  });
});
