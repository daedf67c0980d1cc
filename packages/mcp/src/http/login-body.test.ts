import { expect, test } from 'vitest';
import { holdsMessage } from './login-body.ts';

const holds = (text: string) => holdsMessage(Buffer.from(text));

test('finds messages of MCP, also in other spellings', () => {
  const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call"}';
  for (const text of [call, `\ufeff${call}`, ` [${call}]`, '{"Method":"ping"}', '{"method":1,}'])
    expect(holds(text)).toBe(true);
  expect(holdsMessage(Buffer.from(call, 'utf16le'))).toBe(true);
});

test('passes login forms and the registration of a client', () => {
  expect(holds('grant_type=authorization_code&code=%7B%22method%22%7D')).toBe(false);
  expect(holds('{"client_name":"coder","redirect_uris":["http://127.0.0.1/"]}')).toBe(false);
});
