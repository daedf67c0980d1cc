/**
 * The inspector's command-line client gets the same through the proxy as without. Over HTTP it makes each kind of request
 * to server-everything: the lists, two tools, one that does not exist, resources and prompts. Over stdio it
 * changes and reads the graph of server-memory. The other tools are left to the clients of the SDKs, because each request of
 * the inspector is a process of its own.
 */
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { startMandateMcp, throughMandate } from '../proxy/mandate-mcp.ts';
import { serveEverything } from './everything-over-http.ts';
import { type Inspected, inspect } from './inspector.ts';
import { type DrivenServer, everything, OFFICIAL_SERVERS } from './official-servers.ts';

/** The servers call some of their tools destructive, and no person answers here. */
const UNASKED = ['--no-hints'];

function tool(name: string, args: object): string[] {
  return ['--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args)];
}

/** Each request to server-everything, and a part of what it prints. */
const REQUESTS: readonly (readonly [request: string[], printed: string])[] = [
  [['--method', 'tools/list'], '"get-structured-content"'],
  [tool('get-structured-content', { location: 'Chicago' }), '"structuredContent"'],
  [tool('get-annotated-message', { messageType: 'error', includeImage: true }), '"annotations"'],
  [tool('no-such-tool', {}), '"tool_not_found"'],
  [['--method', 'resources/list'], '"demo://resource/static/document/features.md"'],
  [['--method', 'resources/templates/list'], '"uriTemplate"'],
  [['--method', 'resources/read', '--uri', 'demo://resource/dynamic/text/1'], 'Resource 1'],
  [['--method', 'prompts/list'], '"args-prompt"'],
  [['--method', 'prompts/get', '--prompt-name', 'args-prompt', '--prompt-args', 'city=Paris'], 'Paris'],
  [['--method', 'prompts/get', '--prompt-name', 'no-such-prompt'], '-32602'],
];

function seen({ exitCode, printed }: Inspected, server: DrivenServer): Inspected {
  return { exitCode, printed: server.normalise(printed) };
}

test('every request to server-everything over HTTP prints the same through the proxy as without', async () => {
  const server = everything();
  await using served = await serveEverything();
  await using proxy = await startMandateMcp(served.url, { options: UNASKED });
  for (const [request, printed] of REQUESTS) {
    const [direct, through] = await Promise.all([inspect(served.url, request), inspect(proxy.url, request)]);
    expect(seen(through, server), request.join(' ')).toEqual(seen(direct, server));
    expect(direct.printed).toContain(printed);
  }
});

test('a call and a read that the policies do not allow show their codes', async () => {
  await using served = await serveEverything();
  const mandate = 'allowedTools: [echo, get-sum]\ntoolPolicies: { get-sum: { requiresConfirmation: true } }';
  await using proxy = await startMandateMcp(served.url, {
    mandate,
    options: ['--defer', 'error', '--list', 'all'],
  });
  const [blocked, deferred, read] = await Promise.all([
    inspect(proxy.url, tool('get-tiny-image', {})),
    inspect(proxy.url, tool('get-sum', { a: 2, b: 3 })),
    inspect(proxy.url, ['--method', 'resources/read', '--uri', 'demo://resource/dynamic/text/1']),
  ]);
  expect(blocked.printed).toContain('TOOL_NOT_ALLOWED');
  expect(deferred.printed).toContain('APPROVAL_REQUIRED');
  expect(read.printed).toContain('TOOL_NOT_ALLOWED');
  expect([blocked, deferred, read].map(({ exitCode }) => exitCode)).not.toContain(0);
});

test('server-memory over stdio prints the same through the proxy as without', async () => {
  const serverIn = OFFICIAL_SERVERS['server-memory'];
  if (serverIn === undefined) throw new Error('there is no server-memory');
  const [first, second] = [serverIn(temporaryFolder()), serverIn(temporaryFolder())];
  const [name, args] = first.calls[0] ?? ['', {}];
  const read = ['--method', 'resources/read', '--uri', 'memory://knowledge-graph'];
  for (const request of [tool(name, args), read]) {
    const [direct, through] = await Promise.all([
      inspect(first.command, request, first.env),
      inspect(throughMandate(second.command, { options: UNASKED }), request, second.env),
    ]);
    expect(seen(through, second), request.join(' ')).toEqual(seen(direct, first));
    expect(direct.exitCode).toBe(0);
  }
});
