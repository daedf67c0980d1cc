import { expect, it } from 'vitest';
import { runCommand } from './run-command.fixture.ts';
import { SUBCOMMANDS } from './subcommands.ts';

const KEY = { MANDATE_API_KEY: 'sk-mdt_x' };

it('names every command in its help, on stdout', async () => {
  const { exitCode, stdout, stderr } = await runCommand(['--help']);
  expect(exitCode).toBe(0);
  expect(stderr).toBe('');
  for (const { name, summary } of SUBCOMMANDS) {
    expect(stdout).toContain(`\n  ${name} `);
    expect(stdout.replace(/\s+/g, ' ')).toContain(summary);
  }
});

it.each(SUBCOMMANDS.map(({ name }) => name))('explains %s, with an example or its commands', async (name) => {
  for (const args of [
    [name, '--help'],
    ['help', name],
  ]) {
    const { exitCode, stdout, stderr } = await runCommand(args);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^Usage: mandate ${name} `));
    expect(stdout).toMatch(/\n(Examples|Commands):\n/);
  }
});

it.each([
  ['nothing', [], 'Usage: mandate'],
  ['an unknown command', ['agnets'], 'Did you mean agents?'],
  ['help on an unknown command', ['help', 'agnets'], 'Did you mean agents?'],
  ['an unknown option', ['agents', '--jsno'], 'Did you mean --json?'],
  ['an unknown command of a command', ['keys', 'isue'], 'Did you mean issue?'],
  ['an unknown option of a command of a command', ['keys', 'list', '--dta'], 'Did you mean --data?'],
  ['too many arguments', ['agents', 'a'], 'too many arguments'],
  ['a port in words', ['up', '--port', 'abc'], 'Give a whole number, 0 to 65535.'],
  ['a port in words', ['demo', '--port', '70000'], 'Give a whole number, 0 to 65535.'],
  ['half a micro-dollar', ['publish', '--cost', '1.5'], 'Give a whole number of micro-dollars'],
  ['a wait in words', ['publish', '--wait', 'long'], 'Give milliseconds or a number with its unit'],
  ['arguments that are no object', ['publish', '--args', '[]'], 'Give a JSON object'],
  ['a limit in words', ['query', 'decisions', '--limit', 'x'], 'Give a whole number, 1 to 1000000.'],
  ['lines in words', ['tail', '--lines', 'x'], 'Give a whole number'],
  [
    'two sources of a correction',
    ['dead-letters', 'fix', '3/17', '--file', 'x', '--set', '/a=1'],
    'cannot be used with',
  ],
  ['a change that is none', ['dead-letters', 'fix', '3/17', '--set', 'a=1'], 'Give /pointer=value'],
  ['no place of a dead letter', ['dead-letters', 'republish', '7'], 'Give partition/offset'],
  ['a time in words', ['query', 'decisions', '--from', 'soon'], 'It must be a time'],
  ['a day that does not exist', ['query', 'decisions', '--from', '2026-02-30'], 'It has no day 30'],
  ['an interval in words', ['snapshot', '--every', 'often'], 'Give milliseconds or a number with its unit'],
  ['a snapshot after nothing', ['snapshot', '--after', '0'], 'Give a whole number of records'],
  ['an unknown question', ['query', 'weather'], 'Allowed choices are decisions'],
  ['an unknown event', ['tail', '--events', 'kills'], 'Allowed choices are decision, control, agent.killed'],
  ['an unknown verdict', ['tail', '--verdict', 'MAYBE'], 'Allowed choices are ALLOW, BLOCK, DEFER'],
  ['an unknown scope', ['keys', 'issue', '--name', 'x', '--scopes', 'all'], 'Allowed choices are publish'],
  [
    'an impossible tenant',
    ['keys', 'issue', '--name', 'x', '--scopes', 'audit', '--tenant', 'a/b'],
    'letters',
  ],
  ['to keep no month', ['audit', 'prune', '--keep-months', '0'], 'Give a whole number, 1 to 1200.'],
  ['no file', ['validate'], "missing required argument 'file'"],
  ['no folder', ['pull'], "required option '--out <folder>' not specified"],
  ['no mandates', ['eval'], "required option '--mandates <file>' not specified"],
])('refuses %s, saying what belongs there', async (_what, args, said) => {
  const { exitCode, stdout, stderr } = await runCommand(args, { env: KEY });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(said);
});

it.each([
  ['no key', ['agents'], {}, 'an API key is needed'],
  ['a key that no header takes', ['agents', '--key', 'a\nb'], {}, 'holds characters that no key has'],
  [
    'an address that is none',
    ['agents'],
    { ...KEY, MANDATE_URL: 'localhost:7420' },
    'is not the address of a plane',
  ],
  ['nobody to kill', ['kill'], KEY, 'say whom to kill'],
  ['two at once to kill', ['kill', 'a', '--all'], KEY, 'one of them only'],
  ['half an action', ['publish', '--agent', 'a'], KEY, 'say who calls what'],
  ['a file and an action', ['publish', '--agent', 'a', '--file', 'x'], KEY, 'a file says who does what'],
  ['a file that is not there', ['publish', '--file', '/nowhere/x'], KEY, 'there is no file /nowhere/x'],
  [
    'a filter of another question',
    ['query', 'settlements', '--verdict', 'BLOCK'],
    KEY,
    'cannot be narrowed by --verdict',
  ],
  ['a decision without an id', ['query', 'decision'], KEY, 'say which decision'],
  ['an id where there is none', ['query', 'spend', 'x'], KEY, 'takes no id'],
  [
    'an id of nothing that a person answers',
    ['approve', 'act_1'],
    KEY,
    'is the id of neither an approval nor a decision',
  ],
  ['nobody’s budget', ['adjust-budget', '--by', '1', '--reason', 'r'], KEY, 'say whose budget it is'],
  [
    'a total of a tenant',
    ['adjust-budget', '--tenant', '--by', '1', '--reason', 'r'],
    KEY,
    'only an agent has',
  ],
  [
    'a tenant of which nothing is changed',
    ['tenants', 'limit', 'acme', '--reason', 'r'],
    KEY,
    'say what changes: --name, --agents,',
  ],
  ['keys of no plane', ['keys', 'list', '--data', '/nowhere'], {}, 'there are no API keys in /nowhere'],
  ['no server to migrate', ['migrate'], {}, 'no server is named'],
  [
    'a database that is no name',
    ['migrate', '--clickhouse', 'http://c:1'],
    { MANDATE_CLICKHOUSE_DATABASE: 'a-b' },
    'is no plain name',
  ],
  [
    'an audit of no plane',
    ['audit', 'prune', '--keep-months', '1', '--data', '/nowhere'],
    {},
    'there is no audit at /nowhere/audit',
  ],
  ['a log of no plane', ['reconcile', '--data', '/nowhere'], KEY, 'there is no log at /nowhere'],
  [
    'a log that lies elsewhere than the plane is asked',
    ['reconcile', '--url', 'http://127.0.0.1:1'],
    { ...KEY, MANDATE_PLANE_DATA_PATH: '/nowhere' },
    'The log is read where it lies, and not through the plane: name the data folder of that plane with --data',
  ],
  ['no log to take a snapshot of', ['snapshot', '--data', '/nowhere'], {}, 'there is no log at /nowhere'],
  ['a setting that is none', ['up'], { MANDATE_PLANE_PROT: '1' }, 'did you mean MANDATE_PLANE_PORT?'],
])('refuses %s, saying what to do', async (_what, args, env, said) => {
  const { exitCode, stdout, stderr } = await runCommand(args, { env: env as Record<string, string> });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toMatch(/^mandate: /);
  expect(stderr).toContain(said);
});

it('says that no plane answers, with exit code 1', async () => {
  const { exitCode, stderr } = await runCommand(['agents'], {
    env: { ...KEY, MANDATE_URL: 'http://127.0.0.1:1' },
  });
  expect(exitCode).toBe(1);
  expect(stderr).toContain('no plane answers at http://127.0.0.1:1');
  expect(stderr).toContain('mandate up');
});

it('complains without letting what was typed steer the terminal', async () => {
  const { stderr } = await runCommand(['\u001b[31mred']);
  expect(stderr).not.toContain('\u001b');
});

it('ends with 130 when it is asked to stop', async () => {
  const asked = new AbortController();
  asked.abort();
  const ran = await runCommand(['agents'], { env: KEY, signal: asked.signal });
  expect(ran).toEqual({ exitCode: 130, stdout: '', stderr: '' });
});
