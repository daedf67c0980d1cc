import { Command } from 'commander';
import { expect, it } from 'vitest';
import { wordsOf } from './completion/words.ts';
import { withGlobals } from './global-options.ts';
import { WITHOUT_EFFECT } from './options-without-effect.ts';
import { addCommand } from './program.ts';
import { runCommand } from './run-command.fixture.ts';
import { SUBCOMMANDS } from './subcommands.ts';

const URL = 'http://127.0.0.1:1';
const env = { MANDATE_API_KEY: 'sk-mdt_x' };

it.each([
  ['profiles --url X', '--url has no effect here: the command asks no plane', 'Leave it out.'],
  ['profiles --profile x', '--profile has no effect here', 'Leave it out.'],
  ['logout --url X', '--url has no effect here: the name after --profile says', 'Leave it out.'],
  ['logout --profile x --key k', '--key has no effect here', 'Leave it out.'],
  ['validate x.yaml --url X', '--url has no effect here: the command asks no plane', 'Leave it out.'],
  ['audit prune --keep-months 1 --profile x', '--profile has no effect here', 'Leave it out.'],
  ['completion bash --control-url X', '--control-url has no effect here', 'Leave it out.'],
  ['completion bash --json', '--json has no effect here: the command prints only text', 'Leave it out.'],
  ['export verify out --query-url X', '--query-url has no effect here', 'Leave it out.'],
  ['lint -f x --profile x', '--profile has no effect here: files need no', 'or leave out --file.'],
  ['lint --alerter-url X --file x', '--alerter-url has no effect here', 'or leave out --file.'],
  ['keys list --cursor x', '--cursor has no effect here: a data folder has no pages', 'or add --url'],
  ['keys list --data x --url X', '--data has no effect here', 'Leave it out, or leave out --url.'],
  ['keys revoke k1 --data x --profile x', '--data has no effect here', 'or leave out --profile.'],
  ['keys issue --name x --auditor --url X', '--auditor has no effect here', 'or leave out --url.'],
  ['keys list --key k', '--key has no effect here: the keys of a data folder', 'or add --url or'],
  ['analytics groups --interval 1h --sparklines --json', '--sparklines has no effect', 'leave out --json.'],
  ['analytics groups --interval 1h --csv --sparklines', '--sparklines has no effect', 'leave out --csv.'],
  ['analytics groups --sparklines', '--sparklines has no effect here', 'or add --interval.'],
  ['spend --json --csv', '--csv has no effect here: --json has every column', 'or leave out --json.'],
  ['decisions list --json --columns id', '--columns has no effect here', 'or leave out --json.'],
  ['analytics groups --time-zone UTC', '--time-zone has no effect here', 'or add --interval.'],
  ['kill --all --subtree', '--subtree has no effect here: every agent is meant', 'or leave out --all.'],
  ['publish --agent a --prompt x --args {}', '--args has no effect here: only a call', 'leave out --prompt.'],
  ['publish --file x --turn t', '--turn has no effect here: the file already has', 'leave out --file.'],
  ['publish --file x --agent a', '--agent has no effect here: the file already has', 'leave out --file.'],
  ['preview a --cost 0.40', '--cost has no effect here: only a call has it', 'or add --tool.'],
  ['tail --since 1h --lines 10', '--lines has no effect here: --since says where', 'or leave out --since.'],
  ['reconcile --data x --kafka k:1', '--data has no effect here', 'or leave out --kafka.'],
  ['tenants open x --limits y --remove-limits', '--limits has no effect here', 'leave out --remove-limits.'],
])('refuses `%s`, and says what to do', async (line, said, remedy) => {
  const args = line.split(' ').map((word) => (word === 'X' ? URL : word));
  const { exitCode, stdout, stderr } = await runCommand(args, { env });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(`mandate: ${said}`);
  expect(stderr).toContain(remedy);
});

it.each([
  `keys list --url ${URL} --cursor x`,
  `keys list --profile x --key k`,
  `lint --url ${URL}`,
  `completion names agents --url ${URL}`,
  'tail --lines 10',
  // The option --lines has a default value here, and was not given.
  'tail --since 1h',
  'dead-letters republish 3/17 --dry-run',
  'analytics groups --interval 1h --from 1d --sparklines',
])('does not refuse `%s`', async (line) => {
  const { stderr } = await runCommand(line.split(' '), { env: { ...env, MANDATE_URL: URL } });
  expect(stderr).not.toContain('has no effect here');
});

/** Returns the options of every command, by the path of the command. */
async function optionsByCommand(): Promise<ReadonlyMap<string, readonly string[]>> {
  const program = withGlobals(new Command('mandate'));
  for (const subcommand of SUBCOMMANDS) await addCommand(program, subcommand, async () => {});
  const words = wordsOf(program.commands, program.options);
  return new Map(words.map(({ path, options }) => [path, options.map(({ long }) => long)]));
}

it('names only commands that have one of the options, and only options that one of the commands has', async () => {
  const known = await optionsByCommand();
  const wrong = WITHOUT_EFFECT.flatMap(({ commands, ...row }) => {
    const has = new Set((commands ?? [...known.keys()]).flatMap((path) => known.get(path) ?? []));
    const named = [...row.options, ...(row.beside ?? []), ...(row.unless ?? [])];
    const idle = (commands ?? []).filter(
      (path) => !known.get(path)?.some((one) => row.options.includes(one)),
    );
    return [...idle, ...named.filter((option) => !has.has(option))];
  });
  expect(wrong).toEqual([]);
});
