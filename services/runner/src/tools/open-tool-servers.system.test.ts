/** Tests the tool servers with real MCP servers: over stdio and over HTTP, and of both eras of the protocol. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { silentLogger } from '@mandate/runtime';
import { temporaryFolder } from '@mandate/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { StepTool } from '../agent-step/step.ts';
import { loadRunnerDocument } from '../runner-document.ts';
import { type HttpServer, startLegacyServer, startModernServer } from './http-servers.fixture.ts';
import { openToolServers } from './open-tool-servers.ts';
import { toolHash } from './tool-hash.ts';

const signal = new AbortController().signal;
const options = { idempotencyKey: 'run:a:1:t1', signal };

function open(document: object, log = silentLogger()) {
  const loaded = loadRunnerDocument(Buffer.from(JSON.stringify({ version: 1, ...document })), {
    TOKEN: 'secret',
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  const servers = openToolServers(loaded.document, log);
  onTestFinished(() => servers.close());
  return servers;
}

function tool(changes: Partial<Extract<StepTool, { kind: 'server' }>> = {}): StepTool {
  return {
    kind: 'server',
    name: 'greet',
    id: 'greet',
    uri: 'mcp://there',
    risk: 'safe',
    hash: null,
    ...changes,
  };
}

function bank(changes: object = {}) {
  const effects = join(temporaryFolder(), 'effects');
  writeFileSync(effects, '');
  const file = join(import.meta.dirname, 'effects-server.fixture.ts');
  const server = { command: process.execPath, args: [file], env: { EFFECTS_FILE: effects }, ...changes };
  const lines = () => readFileSync(effects, 'utf8').split('\n').filter(Boolean);
  return { servers: open({ servers: { bank: server } }), effects: lines };
}

const ofBank = (name: string, changes = {}) => tool({ name, id: name, uri: 'mcp://bank', ...changes });

describe.each([
  ['legacy', startLegacyServer],
  ['modern', () => startModernServer()],
] as const)('a %s server over HTTP', (era, start) => {
  const bound = ({ url }: HttpServer, changes: object = {}) =>
    open({ servers: { there: { url, headers: { authorization: `Bearer \${env:TOKEN}` }, ...changes } } });

  test('is recognized and called, and gets its headers and the idempotency key of the call', async () => {
    const server = await start();
    const found = await bound(server).find(tool(), signal);
    expect(found).toMatchObject({ description: 'Greets.', saysRepeatable: era === 'modern' });
    const result = await found?.call({ name: 'Ada' }, options);
    expect(result).toEqual({ text: expect.stringMatching(/^Good day/), isError: false });
    const call = server.requests.find(({ method }) => method === 'tools/call');
    expect(call?.headers.authorization).toBe('Bearer secret');
    expect(call?.params._meta).toMatchObject({ 'mandate/idempotencyKey': 'run:a:1:t1' });
  });

  test('is reached without a binding only if its host is allowed', async () => {
    const { url } = await start();
    const remote = tool({ id: null, uri: `${url}#greet` });
    const host = new URL(url).host;
    const found = await open({ allowedHosts: [host] }).find(remote, signal);
    expect(await found?.call({ name: 'Ada' }, options)).toMatchObject({ isError: false });
    await expect(open({}).find(remote, signal)).rejects.toMatchObject({ code: 'TOOL_NOT_BOUND' });
  });
});

describe('a call of a server', () => {
  const called = async (behaviour: Parameters<typeof startModernServer>[0]) => {
    const { url } = await startModernServer(behaviour);
    const found = await open({ servers: { there: { url } } }).find(tool(), signal);
    return found?.call({}, options);
  };

  test.each([
    [{ error: { code: -32602, message: 'no name' } }, 'The server refused the call (-32602): no name'],
    [
      { result: { resultType: 'input_required', requestState: 'x' } },
      'The tool asks a person for further input, and no person can answer during a run.',
    ],
  ])('has an error as its result if the server answers with an error: %j', async (behaviour, text) => {
    expect(await called(behaviour)).toEqual({ text, isError: true });
  });

  test.each([
    [401, 'permanent'],
    [404, 'transient'],
    [429, 'transient'],
  ])('was certainly not made if the server answers %i', async (status, kind) => {
    await expect(called({ status })).rejects.toMatchObject({ name: 'ToolUnavailable', kind });
  });

  test.each([408, 500, 502, 503])('may have been made if the server answers %i', async (status) => {
    await expect(called({ status })).rejects.toMatchObject({ name: 'ToolUncertain' });
  });

  test('may have been made if the answer is too large', async () => {
    const result = { content: [{ type: 'text', text: 'x'.repeat(5_000_000) }] };
    await expect(called({ result })).rejects.toMatchObject({ name: 'ToolUncertain' });
  });

  test('was not made if the server is away', async () => {
    const servers = open({ servers: { there: { url: 'http://127.0.0.1:9/mcp' } } });
    await expect(servers.find(tool(), signal)).rejects.toMatchObject({
      code: 'TOOL_SERVER_UNAVAILABLE',
      kind: 'transient',
    });
  });
});

describe('a server over stdio', () => {
  test.each(['auto', 'legacy'])('is called, with the protocol "%s"', async (protocol) => {
    const { servers, effects } = bank({ protocol });
    const look = await servers.find(ofBank('look'), signal);
    expect(look).toMatchObject({ saysRepeatable: true, description: 'Reads the balance of a customer.' });
    expect(await look?.call({ customer: 'Ada' }, options)).toEqual({
      text: 'Ada has 40 dollars.',
      isError: false,
    });
    expect((await servers.find(ofBank('pay'), signal))?.saysRepeatable).toBe(false);
    expect(effects()).toEqual(['look run:a:1:t1']);
  });

  test('gets no variable of the runner that its settings do not name', async () => {
    process.env.SECRET_OF_RUNNER = 'secret';
    onTestFinished(() => {
      delete process.env.SECRET_OF_RUNNER;
    });
    const servers = open({ servers: { everything: everything() } });
    const env = await servers.find(tool({ name: 'get-env', id: 'get-env', uri: 'mcp://everything' }), signal);
    const { text } = (await env?.call({}, options)) ?? { text: '' };
    expect(text).toContain('PATH');
    expect(text).not.toContain('SECRET_OF_RUNNER');
  });

  test('that ends during a call may have carried it out, and is started again', async () => {
    const { servers, effects } = bank();
    const die = await servers.find(ofBank('die'), signal);
    await expect(die?.call({}, options)).rejects.toMatchObject({ name: 'ToolUncertain' });
    expect(effects()).toEqual(['die run:a:1:t1']);
    const look = await servers.find(ofBank('look'), signal);
    expect(await look?.call({ customer: 'Ada' }, options)).toMatchObject({ isError: false });
  });

  test('that takes too long may have carried the call out, and goes on with other calls', async () => {
    const { servers } = bank({ timeoutMs: 500 });
    const hang = await servers.find(ofBank('hang'), signal);
    const look = await servers.find(ofBank('look'), signal);
    await expect(hang?.call({}, options)).rejects.toMatchObject({ name: 'ToolUncertain' });
    expect(await look?.call({ customer: 'Ada' }, options)).toMatchObject({ isError: false });
  });

  test('is told to stop a call that is aborted', async () => {
    const { servers } = bank();
    const hang = await servers.find(ofBank('hang'), signal);
    const stop = new AbortController();
    const call = hang?.call({}, { ...options, signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
  });

  test('has its long results cut, and each cut is stated', async () => {
    const { servers } = bank();
    const long = await servers.find(ofBank('long'), signal);
    const { text } = (await long?.call({ bytes: 200_000 }, options)) ?? { text: '' };
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(128 * 1024);
    expect(text).toMatch(/\[Cut: the result has 200000 bytes, .+\]$/);
  });

  test('that sends a message which is too large may have carried the call out', async () => {
    const { servers } = bank();
    const long = await servers.find(ofBank('long'), signal);
    await expect(long?.call({ bytes: 5_000_000 }, options)).rejects.toMatchObject({ name: 'ToolUncertain' });
  });

  test('that lacks the tool fails the step', async () => {
    const { servers } = bank();
    const missing = { code: 'TOOL_NOT_ON_SERVER', kind: 'permanent' };
    await expect(servers.find(ofBank('fly'), signal)).rejects.toMatchObject(missing);
    const byFragment = ofBank('look', { uri: 'mcp://bank#fly' });
    await expect(servers.find(byFragment, signal)).rejects.toMatchObject(missing);
    const ofRemote = ofBank('bank', { id: null });
    await expect(servers.find(ofRemote, signal)).rejects.toMatchObject(missing);
  });

  test('that cannot be started fails with an error that a retry may remove', async () => {
    const servers = open({ servers: { bank: { command: '/no/such/command' } } });
    await expect(servers.find(ofBank('look'), signal)).rejects.toMatchObject({
      code: 'TOOL_SERVER_UNAVAILABLE',
      kind: 'transient',
    });
  });

  test('that ends at once leaves its last words in the log of the runner, and not in the error', async () => {
    const warn = vi.fn();
    const args = ['-e', 'console.error("no folder secret-notes"); process.exit(3)'];
    const servers = open(
      { servers: { bank: { command: process.execPath, args } } },
      { ...silentLogger(), warn },
    );
    const error = await servers.find(ofBank('look'), signal).catch(String);
    expect(error).toContain('The server "bank" cannot be used');
    expect(error).not.toContain('secret-notes');
    expect(warn).toHaveBeenCalledWith(
      expect.objectContaining({ server: 'bank', said: 'no folder secret-notes' }),
      'a server of tools cannot be started',
    );
  });

  test('serves the inline tools that are bound to it', async () => {
    const file = join(import.meta.dirname, 'effects-server.fixture.ts');
    const server = { command: process.execPath, args: [file], env: { EFFECTS_FILE: '/dev/null' } };
    const inline = { balance: { server: 'bank', tool: 'look' } };
    const servers = open({ servers: { bank: server }, inline });
    const written = {
      kind: 'inline',
      description: 'Mine.',
      parameters: { type: 'object' },
      hash: null,
    } as const;
    const balance = await servers.find({ ...written, name: 'balance' }, signal);
    expect(await balance?.call({ customer: 'Ada' }, options)).toMatchObject({ text: 'Ada has 40 dollars.' });
    expect(await servers.find({ ...written, name: 'other' }, signal)).toBeNull();
  });
});

describe('the hash of a tool', () => {
  const listed = { name: 'old', description: 'Has another description soon.', inputSchema: {} };

  test('must equal the hash in the manifest', async () => {
    const { servers } = bank();
    const pinned = ofBank('look', { hash: 'a'.repeat(64) });
    const error = await servers.find(pinned, signal).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'TOOL_HASH_MISMATCH', kind: 'permanent' });
    const hash = /its hash is ([0-9a-f]{64})/.exec(String(error))?.[1] ?? '';
    expect(await servers.find(ofBank('look', { hash }), signal)).not.toBeNull();
    expect(
      await servers.find(ofBank('look', { hash: `sha256:${hash.toUpperCase()}` }), signal),
    ).not.toBeNull();
  });

  test('is checked again after the server has changed its list', async () => {
    const { servers } = bank();
    const error = await servers.find(ofBank('old', { hash: 'a'.repeat(64) }), signal).catch(String);
    const hash = /its hash is ([0-9a-f]{64})/.exec(String(error))?.[1] ?? '';
    const old = await servers.find(ofBank('old', { hash }), signal);
    expect(await old?.call({}, options)).toEqual({ text: 'changed', isError: false });
    await expect(old?.call({}, options)).rejects.toMatchObject({ code: 'TOOL_HASH_MISMATCH' });
  });

  test('of an inline tool is the hash of its implementation, before each call', async () => {
    const implementation = join(temporaryFolder(), 'balance.ts');
    writeFileSync(implementation, 'one\n');
    const right = createHash('sha256').update('one\n').digest('hex');
    const file = join(import.meta.dirname, 'effects-server.fixture.ts');
    const server = { command: process.execPath, args: [file], env: { EFFECTS_FILE: '/dev/null' } };
    const bound = (more: object) =>
      open({ servers: { bank: server }, inline: { balance: { server: 'bank', tool: 'look', ...more } } });
    const written = (hash: string) =>
      ({ kind: 'inline', name: 'balance', description: '', parameters: {}, hash }) as const;
    const servers = bound({ implementation });
    const balance = await servers.find(written(`sha256:${right}`), signal);
    const refused = { code: 'TOOL_HASH_MISMATCH', kind: 'permanent' };
    await expect(servers.find(written('a'.repeat(64)), signal)).rejects.toMatchObject(refused);
    await expect(bound({}).find(written(right), signal)).rejects.toMatchObject(refused);
    const missing = bound({ implementation: join(temporaryFolder(), 'none') });
    await expect(missing.find(written(right), signal)).rejects.toMatchObject(refused);
    expect(await balance?.call({ customer: 'Ada' }, options)).toMatchObject({ isError: false });
    writeFileSync(implementation, 'two\n');
    await expect(balance?.call({ customer: 'Ada' }, options)).rejects.toMatchObject(refused);
  });

  test('depends on name, description and schema, and on nothing else', () => {
    const hash = toolHash(listed);
    expect(toolHash({ inputSchema: {}, description: listed.description, name: 'old' })).toBe(hash);
    expect(toolHash({ ...listed, annotations: {} } as typeof listed)).toBe(hash);
    const { description: _, ...bare } = listed;
    const others = [
      { ...listed, name: 'new' },
      { ...listed, description: '' },
      bare,
      { ...listed, inputSchema: { type: 'object' } },
    ];
    expect(new Set([hash, ...others.map(toolHash)]).size).toBe(5);
  });
});

function everything() {
  const manifest = createRequire(import.meta.url).resolve(
    '@modelcontextprotocol/server-everything/package.json',
  );
  return { command: process.execPath, args: [join(dirname(manifest), 'dist/index.js'), 'stdio'] };
}
