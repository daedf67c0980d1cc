import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { expect, it } from 'vitest';
import { withGlobals } from './global-options.ts';
import { addCommand, runProgram } from './program.ts';
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

/** Returns the names of every command, each with the names of its parent commands. */
async function allPaths(): Promise<string[][]> {
  const program = new Command('mandate');
  for (const subcommand of SUBCOMMANDS) await addCommand(program, subcommand, async () => {});
  const pathsOf = (command: Command, above: string[]): string[][] =>
    command.commands.flatMap((below) => {
      const path = [...above, below.name()];
      return [path, ...pathsOf(below, path)];
    });
  return [[], ...pathsOf(program, [])];
}

it('fits the help of every command into 80 columns, and names global options once', async () => {
  const globals = withGlobals(new Command()).options.map(({ long }) => long ?? '');
  const faults: string[] = [];
  for (const path of await allPaths()) {
    const { exitCode, stdout } = await runCommand([...path, '--help']);
    expect({ path, exitCode }).toEqual({ path, exitCode: 0 });
    faults.push(...stdout.split('\n').filter((line) => line.length > 80));
    const named = globals.filter((option) => stdout.includes(`\n  ${option} `));
    expect({ path, named }).toEqual({ path, named: path.length === 0 ? globals : [] });
  }
  expect(faults).toEqual([]);
});

it('shows an option only in the help of commands that have the option', async () => {
  const help = async (...path: string[]) => (await runCommand([...path, '--help'])).stdout;
  expect(await help('decisions', 'list')).toContain('--min-charged <dollars>');
  expect(await help('settlements', 'list')).not.toContain('--min-charged');
  expect(await help('analytics', 'verdicts')).not.toContain('--limit');
  expect(await help('analytics', 'groups')).toContain('--interval');
  expect(await help('analytics', 'tools')).not.toContain('--interval');
});

it('shows help in fewer columns on a narrower terminal', async () => {
  const stdout = Object.assign(new PassThrough(), { columns: 60 });
  const context = { stdin: Readable.from([]), stdout, stderr: new PassThrough(), env: {} };
  await runProgram(['agents', '--help'], { ...context, signal: new AbortController().signal });
  stdout.end();
  for (const line of (await text(stdout)).split('\n')) expect(line.length).toBeLessThanOrEqual(60);
});

it('shows amounts in options in dollars, never in micro-dollars', async () => {
  for (const path of await allPaths()) {
    const { stdout } = await runCommand([...path, '--help']);
    expect({
      path,
      options: stdout.split('\n').filter((line) => /<micros>|^ +--.*micro-dollar/.test(line)),
    }).toEqual({
      path,
      options: [],
    });
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
  ['an unknown option', ['agents', 'list', '--jsno'], 'Did you mean --json?'],
  ['an unknown command of a command', ['keys', 'isue'], 'Did you mean issue?'],
  ['an unknown option of a command of a command', ['keys', 'list', '--dta'], 'Did you mean --data?'],
  ['too many arguments', ['agents', 'list', 'a'], 'too many arguments'],
  ['a port in words', ['up', '--port', 'abc'], 'Give a whole number, 0 to 65535.'],
  ['a port in words', ['demo', '--port', '70000'], 'Give a whole number, 0 to 65535.'],
  ['half a micro-dollar', ['publish', '--cost', '0.0000005'], 'Give dollars'],
  ['a cost below zero', ['preview', 'a', '--cost', '-1'], 'Give dollars, zero or more'],
  ['a wait in words', ['publish', '--wait', 'long'], 'Give milliseconds or a number with its unit'],
  ['arguments that are no object', ['publish', '--args', '[]'], 'Give a JSON object'],
  ['a limit in words', ['decisions', 'list', '--limit', 'x'], 'Give a whole number, 1 to 1000000.'],
  ['lines in words', ['tail', '--lines', 'x'], 'Give a whole number'],
  ['no place of a dead letter', ['dead-letters', 'republish', '7'], 'Give partition/offset'],
  ['a time in words', ['decisions', 'list', '--from', 'soon'], 'It must be a time'],
  ['a day that does not exist', ['decisions', 'list', '--from', '2026-02-30'], 'It has no day 30'],
  ['an interval in words', ['snapshot', '--every', 'often'], 'Give milliseconds or a number with its unit'],
  ['a snapshot after nothing', ['snapshot', '--after', '0'], 'Give a whole number of records'],
  ['an unknown question', ['analytics', 'verdict'], 'Did you mean verdicts?'],
  ['an unknown event', ['tail', '--events', 'kills'], 'Allowed choices are decision, control, agent.killed'],
  ['an unknown verdict', ['tail', '--verdict', 'MAYBE'], 'Allowed choices are ALLOW, BLOCK, DEFER'],
  ['an unknown scope', ['keys', 'issue', '--name', 'x', '--scopes', 'all'], 'Allowed choices are publish'],
  [
    'an impossible tenant',
    ['keys', 'issue', '--name', 'x', '--scopes', 'audit', '--tenant', 'a/b'],
    'letters',
  ],
  ['to keep no month', ['audit', 'prune', '--keep-months', '0'], 'Give a whole number, 1 to 1200.'],
  ['a filter of another question', ['settlements', 'list', '--verdict', 'BLOCK'], 'unknown option'],
  ['a decision without an id', ['decisions', 'show'], "missing required argument 'id'"],
  ['an id of a question without ids', ['spend', 'x'], 'too many arguments'],
  ['no file', ['validate'], "missing required argument 'file'"],
  ['no folder', ['pull'], "required option '--out <folder>' not specified"],
  ['no mandates', ['eval'], "required option '--mandates <file>' not specified"],
])('refuses %s, and names the values that are allowed', async (_what, args, said) => {
  const { exitCode, stdout, stderr } = await runCommand(args, { env: KEY });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(said);
});

it.each([
  ['no key', ['agents', 'list'], {}, 'an API key is needed'],
  ['a key that no header takes', ['agents', 'list', '--key', 'a\nb'], {}, 'has characters that no key has'],
  [
    'an address that is none',
    ['agents', 'list'],
    { ...KEY, MANDATE_URL: 'localhost:7420' },
    'is not the address of a plane',
  ],
  ['nobody to kill', ['kill'], KEY, 'no target, or more than one target, to kill'],
  ['two at once to kill', ['kill', 'a', '--all'], KEY, 'Give one of: an agent id, --tenant, --all.'],
  ['half an action', ['publish', '--agent', 'a'], KEY, 'no action is named'],
  [
    'two actions at once',
    ['publish', '--agent', 'a', '--tool', 't', '--prompt', 'p'],
    KEY,
    '--tool and --prompt exclude each other',
  ],
  [
    'the role of no person',
    ['publish', '--agent', 'a', '--tool', 't', '--role', 'user'],
    KEY,
    '--role needs --principal',
  ],
  [
    'a file and an action',
    ['publish', '--agent', 'a', '--file', 'x'],
    KEY,
    'the file already has the actions',
  ],
  ['files of lint without --file', ['lint', 'tutor'], KEY, 'Name files with --file: --file tutor'],
  ['a file that is not there', ['publish', '--file', '/nowhere/x'], KEY, 'there is no file /nowhere/x'],
  [
    'an id of nothing that a person answers',
    ['approvals', 'approve', 'act_1'],
    KEY,
    'is the id of neither an approval nor a decision',
  ],
  [
    'nobody’s budget',
    ['budgets', 'adjust', '--by', '1', '--reason', 'r'],
    KEY,
    'no owner, or more than one owner',
  ],
  [
    'a total of a tenant',
    ['budgets', 'adjust', '--tenant', '--by', '1', '--reason', 'r'],
    KEY,
    'only an agent has',
  ],
  [
    'a tenant of which nothing is changed',
    ['tenants', 'set', 'acme', '--reason', 'r'],
    KEY,
    'Give at least one of: --name, --agents,',
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
    'Name the data folder of that plane with --data',
  ],
  ['no log to take a snapshot of', ['snapshot', '--data', '/nowhere'], {}, 'there is no log at /nowhere'],
  ['a setting that is none', ['up'], { MANDATE_PLANE_PROT: '1' }, 'did you mean MANDATE_PLANE_PORT?'],
])('refuses %s, and says what to do', async (_what, args, env, said) => {
  const { exitCode, stdout, stderr } = await runCommand(args, { env: env as Record<string, string> });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toMatch(/^mandate: /);
  expect(stderr).toContain(said);
});

it('says that no plane answers, with exit code 1', async () => {
  const { exitCode, stderr } = await runCommand(['agents', 'list'], {
    env: { ...KEY, MANDATE_URL: 'http://127.0.0.1:1' },
  });
  expect(exitCode).toBe(1);
  expect(stderr).toContain('no plane answers at http://127.0.0.1:1');
  expect(stderr).toContain('mandate up');
});

it('escapes typed text in its error messages, so that the text cannot steer the terminal', async () => {
  const { stderr } = await runCommand(['\u001b[31mred']);
  expect(stderr).not.toContain('\u001b');
});

it('exits with 130 if it is asked to stop', async () => {
  const asked = new AbortController();
  asked.abort();
  const ran = await runCommand(['agents', 'list'], { env: KEY, signal: asked.signal });
  expect(ran).toEqual({ exitCode: 130, stdout: '', stderr: '' });
});
