import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { temporaryFolder } from '@mandate/testing';
import { describe, expect, test } from 'vitest';
import { runProgram } from '../program.ts';
import { runCommand } from '../run-command.fixture.ts';

const SERVER = { command: 'npx', args: ['-y', 'files-server'], env: { TOKEN: 'sk-of-files' } };
const REMOTE = { type: 'http', url: 'https://example.com/mcp?key=sk-of-url' };
const PROXY = ['npx', '-y', 'mandate', 'mcp', '--agent', 'coder'];

function configOf(servers: unknown, key = 'mcpServers'): string {
  return JSON.stringify({ [key]: servers }, null, 2);
}

function fileWith(content: string | Buffer, name = '.mcp.json'): string {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, content);
  return file;
}

function importFile(file: string, ...more: readonly string[]) {
  return runCommand(['mcp', 'import', file, '--agent', 'coder', '--command', 'npx -y mandate', ...more]);
}

function undoFile(file: string) {
  return runCommand(['mcp', 'import', file, '--undo', '--yes']);
}

/** Returns the words of a server's command. */
function wordsIn(file: string, server = 'files'): string[] {
  const { command, args } = JSON.parse(readFileSync(file, 'utf8')).mcpServers[server];
  return [command, ...args];
}

test('puts a server behind the proxy, and says so', async () => {
  const file = fileWith(configOf({ files: SERVER }));
  const { exitCode, stdout, stderr } = await importFile(file, '--yes');
  expect(exitCode).toBe(0);
  expect(stdout).toContain(
    'files: it goes through the proxy, and its tools are files.* in policies\n' +
      `changed 1 server in ${file}, and kept the file as it was in ${file}.before-mandate\n`,
  );
  expect(stderr).toContain('Run `mandate login`');
  expect(wordsIn(file)).toEqual([...PROXY, '--prefix', 'files.', '--', 'npx', '-y', 'files-server']);
});

test('shows the change, and changes nothing until a person confirms', async () => {
  const file = fileWith(configOf({ files: SERVER }));
  const before = readFileSync(file, 'utf8');
  const { exitCode, stdout, stderr } = await importFile(file);
  expect(exitCode).toBe(2);
  expect(stdout).toContain(`--- ${file}\n+++ ${file}\n@@ -1,9 +1,10 @@\n`);
  expect(stdout).toContain(
    '\n+        "-y", "mandate", "mcp", "--agent", "coder", "--prefix", "files.", "--", "npx",\n',
  );
  expect(stderr).toContain('there is no terminal to ask on');
  expect(readFileSync(file, 'utf8')).toBe(before);
  expect(readdirSync(join(file, '..'))).toEqual(['.mcp.json']);
});

test.each([
  ['yes', 0],
  ['no', 1],
])('asks on a terminal: %s', async (answer, expected) => {
  const file = fileWith(configOf({ files: SERVER }));
  const before = readFileSync(file, 'utf8');
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const asked = text(stderr);
  const args = ['mcp', 'import', file, '--agent', 'coder'];
  const exitCode = await runProgram(args, {
    stdin: Object.assign(Readable.from([`${answer}\n`]), { isTTY: true }),
    ...{ stdout, stderr, env: {}, signal: new AbortController().signal },
  });
  stderr.end();
  expect(exitCode).toBe(expected);
  expect(await asked).toContain('Change .mcp.json? (yes/no)');
  expect(readFileSync(file, 'utf8') === before).toBe(answer === 'no');
});

test('shows no value of an environment variable, and no URL', async () => {
  const servers = { files: SERVER, search: REMOTE, other: { ...SERVER, headers: { A: 'sk-of-header' } } };
  for (const options of [[], ['--json']]) {
    const { stdout, stderr } = await importFile(fileWith(configOf(servers)), '--yes', ...options);
    expect(stdout + stderr).not.toContain('sk-of');
  }
});

test('puts a server with a URL behind the proxy, with its URL and its headers in variables', async () => {
  const headers = { Authorization: 'Bearer sk-of-header' };
  const before = configOf({ search: { ...REMOTE, headers } });
  const file = fileWith(before);
  const { exitCode, stdout, stderr } = await importFile(file, '--yes');
  expect(exitCode).toBe(0);
  expect(stdout).toContain('search: it goes through the proxy, and its tools are search.* in policies\n');
  expect(stdout + stderr).not.toContain('sk-of');
  expect(JSON.parse(readFileSync(file, 'utf8')).mcpServers.search).toEqual({
    type: 'stdio',
    command: 'npx',
    args: [
      ...PROXY.slice(1),
      ...['--prefix', 'search.', '--upstream-env', 'MCP_URL', '--transport', 'http'],
      ...['--header-env', 'Authorization=MCP_HEADER_AUTHORIZATION'],
    ],
    env: { MCP_URL: REMOTE.url, MCP_HEADER_AUTHORIZATION: 'Bearer sk-of-header' },
  });
  const undone = await undoFile(file);
  expect(undone.stdout + undone.stderr).not.toContain('sk-of');
  expect(readFileSync(file, 'utf8')).toBe(before);
  expect(readdirSync(join(file, '..'))).toEqual(['.mcp.json']);
});

test('keeps a header that a person changed after the import', async () => {
  const file = fileWith(configOf({ search: { ...REMOTE, headers: { 'X-Key': 'old' } } }));
  await importFile(file, '--yes');
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace('"old"', '"new"').replace('example.com', 'example.org'),
  );
  await undoFile(file);
  expect(JSON.parse(readFileSync(file, 'utf8')).mcpServers.search).toEqual({
    ...{ type: 'http', url: 'https://example.org/mcp?key=sk-of-url' },
    headers: { 'X-Key': 'new' },
  });
});

test('does not undo the import of a URL if a person added variables to its environment', async () => {
  const file = fileWith(configOf({ search: { ...REMOTE, headers: { 'X-Key': 'a' } } }));
  await importFile(file, '--yes');
  const edited = readFileSync(file, 'utf8').replace('"env": {', '"env": { "OTHER": "b",');
  writeFileSync(file, edited);
  const { stdout } = await undoFile(file);
  expect(stdout).toContain(
    'search: it goes through the proxy, and its `env` has further variables: move them first',
  );
  expect(readFileSync(file, 'utf8')).toBe(edited);
});

test('does not change a server with a login, and says what to do', async () => {
  const login = { ...REMOTE, oauth: { clientId: 'c' } };
  const file = fileWith(configOf({ search: login, 'my docs': login, files: SERVER }));
  const { exitCode, stdout, stderr } = await importFile(file, '--yes');
  expect(exitCode).toBe(3);
  expect(stdout).toContain('search: NOT GOVERNED: the client logs in at its URL (`oauth`)\n');
  expect(stderr).toContain(
    'mandate mcp --agent coder --prefix search. --listen 127.0.0.1:7430 --upstream URL\n',
  );
  expect(stderr).toContain(
    'mandate mcp --agent coder --prefix my-docs. --listen 127.0.0.1:7431 --upstream URL\n',
  );
  expect(JSON.parse(readFileSync(file, 'utf8')).mcpServers.search).toEqual(login);
});

const OLDER = 'the proxy does not speak the older transport over HTTP and SSE';

test.each([
  ['of the older transport', { type: 'sse', url: 'https://a/x' }, OLDER],
  ['that looks like the older transport', { url: 'https://a/sse' }, OLDER],
  ['over a WebSocket', { type: 'ws', url: 'wss://a/x' }, 'the client calls its URL'],
  ['with another field for the URL', { serverUrl: 'https://a/mcp' }, 'the client calls its URL'],
  ['without a URL', { type: 'http' }, 'the client calls its URL'],
  ['with a number as its URL', { url: 7 }, 'its URL is no text'],
  ['with a socket as its URL', { url: 'unix:///a.sock' }, 'its URL is no address with http or https'],
  ['with a password in its URL', { url: 'https://u:p@a/mcp' }, 'its URL is no address with http or https'],
  [
    'with headers of a program',
    { url: 'https://a/mcp', headersHelper: 'x' },
    'the client logs in at its URL (`headersHelper`)',
  ],
  ['with a URL and variables', { url: 'https://a/mcp', env: {} }, 'it has both a URL and `env`'],
  [
    'with a number in its headers',
    { url: 'https://a/mcp', headers: { A: 1 } },
    'the value of a header is no text',
  ],
  [
    'with a blank in a name of a header',
    { url: 'https://a/mcp', headers: { 'A B': '' } },
    'the name of a header is not allowed',
  ],
  [
    'with a header of the protocol',
    { url: 'https://a/mcp', headers: { Accept: '' } },
    'the name of a header is not allowed',
  ],
  ['with a header twice', { url: 'https://a/mcp', headers: { A: '', a: '' } }, 'it has the header a twice'],
  ['without a command', { args: [] }, 'it has no command'],
  ['with a list as its command', { command: ['npx', 'x'] }, 'its command is no text'],
  ['with an empty command', { command: ' ' }, 'its command is no text'],
  ['with a text as its arguments', { command: 'x', args: '-y' }, 'its arguments are no list of texts'],
  ['with a number in its arguments', { command: 'x', args: [1] }, 'its arguments are no list of texts'],
  ['with a command and a URL', { command: 'x', url: 'https://a' }, 'it has both a command and a URL'],
  ['that is no object', 'npx x', 'it is no object'],
])('leaves a server %s as it is', async (_what, server, why) => {
  const file = fileWith(configOf({ bad: server }));
  const before = readFileSync(file, 'utf8');
  const { exitCode, stdout } = await importFile(file, '--yes');
  expect({ exitCode, stdout }).toEqual({
    exitCode: 3,
    stdout: `bad: NOT GOVERNED: ${why}\nnothing to change\n`,
  });
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('leaves a server as it is if its entry has the command twice', async () => {
  const file = fileWith('{"mcpServers":{"bad":{"command":"a","command":"b"}}}');
  expect((await importFile(file, '--yes')).stdout).toContain('bad: NOT GOVERNED: it has `command` twice\n');
});

test.each([
  ['that is not JSON', '{"mcpServers": {"a": }}', 'is not JSON: line 1, column 22: value expected'],
  ['with text after its end', '{"mcpServers": {}} x', 'is not JSON: line 1, column 20: '],
  ['that is not TOML', '[mcp_servers.a]\ncommand = npx', 'is neither JSON nor TOML: line 2, column '],
  ['that is empty', '', 'has no MCP servers'],
  ['without servers', '{"servers": 7, "mcp": {}}', 'has no MCP servers'],
  ['of another program', 'model = "x"', 'has no MCP servers'],
  ['that is not UTF-8', Buffer.from('{"mcpServers": "\xff"}', 'latin1'), 'not UTF-8 at byte 16'],
  ['with many levels', `{"a":${'['.repeat(100_000)}`, 'has more than 100 levels of brackets'],
  ['with many levels of TOML', `a = ${'['.repeat(100_000)}`, 'is neither JSON nor TOML'],
  [
    'with many closed levels of TOML',
    `a = ${'['.repeat(200_000)}${']'.repeat(200_000)}`,
    'has too many levels of brackets',
  ],
  ['of TOML that is huge', `#${' '.repeat(1024 * 1024)}`, 'is no JSON, and has more than 1 MiB'],
  ['that is huge', Buffer.alloc(16 * 1024 * 1024 + 1, ' '), 'has more than 16 MiB'],
  [
    'with very many servers',
    configOf(
      Object.fromEntries(
        Array(1_001)
          .fill(0)
          .map((_, at) => [at, {}]),
      ),
    ),
    'has more than 1000 MCP servers',
  ],
])('refuses a file %s', async (_what, content, said) => {
  const file = fileWith(content);
  const { exitCode, stdout, stderr } = await importFile(file, '--yes');
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(said);
  expect(readdirSync(join(file, '..'))).toEqual(['.mcp.json']);
});

test('refuses a path that is not a file', async () => {
  const folder = temporaryFolder();
  expect((await importFile(folder, '--yes')).stderr).toContain(`${folder} is no file`);
  expect((await importFile('/dev/zero', '--yes')).stderr).toContain('/dev/zero is no file');
  expect((await importFile(join(folder, 'missing'), '--yes')).stderr).toContain('there is no file');
});

test('keeps the mode of the file and a byte order mark', async () => {
  const file = fileWith(`\uFEFF${configOf({ files: SERVER })}`);
  const before = readFileSync(file);
  chmodSync(file, 0o640);
  await importFile(file, '--yes');
  expect(readFileSync(file, 'utf8')).toMatch(/^\uFEFF\{/);
  expect([file, `${file}.before-mandate`].map((one) => statSync(one).mode & 0o777)).toEqual([0o640, 0o640]);
  await undoFile(file);
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('replaces the file that a link names, and keeps the link', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'real'));
  const [real, link] = [join(folder, 'real/mcp.json'), join(folder, 'mcp.json')];
  writeFileSync(real, configOf({ files: SERVER }));
  symlinkSync(real, link);
  expect((await importFile(link, '--yes')).exitCode).toBe(0);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(wordsIn(real)).toContain('coder');
  expect(readdirSync(join(folder, 'real')).sort()).toEqual(['mcp.json', 'mcp.json.before-mandate']);
});

describe('the undo', () => {
  test('gives the same bytes, and leaves nothing behind', async () => {
    const file = fileWith(configOf({ files: SERVER, search: REMOTE }));
    const before = readFileSync(file, 'utf8');
    await importFile(file, '--yes');
    const { exitCode, stdout } = await undoFile(file);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('files: it no longer goes through the proxy\n');
    expect(stdout).toContain(`changed 2 servers in ${file}\n`);
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(readdirSync(join(file, '..'))).toEqual(['.mcp.json']);
  });

  test('keeps changes that a person made after the import', async () => {
    const file = fileWith(configOf({ files: SERVER }));
    await importFile(file, '--yes');
    const edited = JSON.parse(readFileSync(file, 'utf8'));
    edited.mcpServers.files.args.push('/srv');
    edited.mcpServers.files.env.TOKEN = 'new';
    edited.mcpServers.added = { command: 'added' };
    writeFileSync(file, JSON.stringify(edited));
    const { stdout } = await undoFile(file);
    expect(stdout).toContain(`kept the file as it was in ${file}.before-mandate`);
    expect(JSON.parse(readFileSync(file, 'utf8')).mcpServers).toEqual({
      files: { command: 'npx', args: ['-y', 'files-server', '/srv'], env: { TOKEN: 'new' } },
      added: { command: 'added' },
    });
  });

  test('changes nothing in a file without the proxy', async () => {
    const { exitCode, stdout } = await undoFile(fileWith(configOf({ files: SERVER })));
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: 'files: it does not go through the proxy\nnothing to change\n',
    });
  });

  test('removes a proxy with another name and other options', async () => {
    const own = {
      command: '/opt/gov',
      args: ['mcp', '--agent', 'x', '--defer', 'error', '--', 'server', '-v'],
    };
    const file = fileWith(configOf({ files: own }));
    await undoFile(file);
    expect(wordsIn(file)).toEqual(['server', '-v']);
  });

  test.each([[['mcp', 'serve']], [['mcp', 'serve', '--', 'x']], [['--agent', 'x', '--', 'y']]])(
    'does not change another program with %s',
    async (args) => {
      const file = fileWith(configOf({ files: { command: '/opt/tool', args } }));
      expect((await undoFile(file)).stdout).toContain('nothing to change');
    },
  );
});

test('keeps the oldest copy of the file until an undo, and then begins with a new copy', async () => {
  const file = fileWith(configOf({ files: SERVER }));
  const first = readFileSync(file, 'utf8');
  const backup = () => readFileSync(`${file}.before-mandate`, 'utf8');
  await importFile(file, '--yes');
  const edited = JSON.parse(readFileSync(file, 'utf8'));
  edited.mcpServers.added = { command: 'added' };
  writeFileSync(file, JSON.stringify(edited));
  await importFile(file, '--yes');
  expect(backup()).toBe(first);
  await undoFile(file);
  const second = readFileSync(file, 'utf8');
  await importFile(file, '--yes');
  expect(backup()).toBe(second);
});

test('does not change a server that already goes through the proxy', async () => {
  const file = fileWith(configOf({ files: SERVER }));
  await importFile(file, '--yes');
  const { stdout, exitCode } = await runCommand(['mcp', 'import', file, '--agent', 'writer', '--yes']);
  expect({ stdout, exitCode }).toEqual({
    exitCode: 0,
    stdout: 'files: it already goes through the proxy as the agent coder\nnothing to change\n',
  });
});

test('prints one JSON document for programs', async () => {
  const file = fileWith(configOf({ files: SERVER, search: { ...REMOTE, type: 'sse' } }));
  const { exitCode, stdout } = await importFile(file, '--yes', '--json');
  expect(exitCode).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({
    file,
    changed: true,
    backup: `${file}.before-mandate`,
    servers: [
      { name: 'files', within: null, change: 'rewritten' },
      { name: 'search', within: null, change: 'ungoverned' },
    ],
  });
});

describe('the command of the proxy', () => {
  test('has the options that the import was given', async () => {
    const mandates = fileWith('version: 1', 'mandates.yaml');
    const file = fileWith(configOf({ files: SERVER }));
    await importFile(file, '--yes', '--mandates', mandates, '--no-prefix-names');
    expect(wordsIn(file).slice(0, 9)).toEqual([...PROXY, '--mandates', mandates, '--']);
    await undoFile(file);
    await importFile(file, '--yes', '--url', 'https://plane.example.com');
    expect(wordsIn(file).slice(0, 9)).toEqual([...PROXY, '--url', 'https://plane.example.com', '--prefix']);
  });

  test('is the command of this clone if no command is given', async () => {
    const file = fileWith(configOf({ files: SERVER }));
    await runCommand(['mcp', '--agent', 'coder', 'import', file, '--yes']);
    const [node, program = '', ...rest] = wordsIn(file);
    expect([node, existsSync(program), program.endsWith('packages/cli/bin/mandate.mjs'), rest[0]]).toEqual([
      'node',
      true,
      true,
      'mcp',
    ]);
  });

  test('may have arguments with blanks', async () => {
    const file = fileWith(configOf({ files: SERVER }));
    await importFile(file, '--yes', '--command', `"/my programs/node"  'a b.mjs' -x`);
    expect(wordsIn(file).slice(0, 4)).toEqual(['/my programs/node', 'a b.mjs', '-x', 'mcp']);
  });
});

test.each([
  [['--yes'], 'it is not known which agent calls'],
  [['--agent', '--x'], '"--x" is no id of an agent'],
  [['--agent', 'a*'], '"a*" is no id of an agent'],
  [['--agent', 'a', '--mandates', '/no/file.yaml'], 'there is no file /no/file.yaml'],
  [['--agent', 'a', '--command', '"npx'], 'is no command'],
  [['--agent', 'a', '--key', 'sk-1'], '--key has no effect here'],
  [['--agent', 'a', '--undo'], '--agent has no effect here: the proxy is taken away'],
  [['--agent', 'a', '--profile', 'none'], 'there is no profile none'],
  [['--agent', 'a', '--url', 'https://u:p@plane'], 'the URL has a password'],
  [['--agent', 'a', '--url', 'plane'], 'plane is not the address of a plane'],
])('refuses %j', async (options, said) => {
  const file = fileWith(configOf({ files: SERVER }));
  const { exitCode, stderr } = await runCommand(['mcp', 'import', file, ...options]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(said);
});

test('refuses options of the proxy that an import does not have', async () => {
  const { stderr } = await runCommand(['mcp', '--defer', 'error', 'import', 'x', '--agent', 'a']);
  expect(stderr).toContain('--defer has no effect on an import');
});

test('does not take a server with the name `import` for an import', async () => {
  const { exitCode, stderr } = await runCommand(['mcp', '--agent', 'a', '--', 'import', 'x.json']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('a server with the name `import` cannot be started');
});
