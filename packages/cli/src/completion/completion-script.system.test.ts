import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { runCommand } from '../run-command.fixture.ts';
import { SUBCOMMANDS } from '../subcommands.ts';
import { SHELLS } from './completion-script.ts';

async function scriptFor(shell: string): Promise<string> {
  const { exitCode, stdout, stderr } = await runCommand(['completion', shell]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
}

/** Returns the words that bash offers after `words`. The last word is still being typed. */
function offered(script: string, words: readonly string[]): string[] {
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const asked = `${script}\nCOMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _mandate; printf '%s\\n' "\${COMPREPLY[@]}"`;
  // An argument of a process has at most 128 KiB, so bash reads the script from stdin.
  const { status, stdout, stderr } = spawnSync('bash', ['-s'], { input: asked, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.split('\n').filter((word) => word !== '');
}

it('offers the subcommands, options and values of a command in bash', async () => {
  const script = await scriptFor('bash');
  expect(offered(script, ['mandate', ''])).toEqual([
    ...SUBCOMMANDS.map(({ name }) => name),
    '--help',
    '--version',
  ]);
  expect(offered(script, ['mandate', 'ki'])).toEqual(['kill', 'kills']);
  expect(offered(script, ['mandate', 'kill', '--t'])).toEqual(['--tenant']);
  expect(offered(script, ['mandate', 'analytics', 'ver'])).toEqual(['verdicts']);
  expect(offered(script, ['mandate', 'agents', 'keys', 'i'])).toEqual(['issue']);
  expect(offered(script, ['mandate', 'agents', 'keys', 'issue', '--pi'])).toEqual(['--pin']);
  expect(offered(script, ['mandate', 'rules', 'list', '--prof'])).toEqual(['--profile']);
  expect(offered(script, ['mandate', 'tail', '--verdict', ''])).toEqual(['ALLOW', 'BLOCK', 'DEFER']);
  expect(offered(script, ['mandate', 'keys', '']).slice(0, 3)).toEqual(['issue', 'list', 'revoke']);
  expect(offered(script, ['mandate', 'keys', 'issue', '--scopes', 'pub'])).toEqual(['publish']);
  expect(offered(script, ['mandate', 'dead-letters', 'republish', '--fi'])).toEqual(['--file']);
});

it('offers names from the plane in bash for values that are agents or tools', async () => {
  const script = `mandate() { [ "$*" = 'completion names agents' ] && printf '%s\\n' bot-1 bot-2 other; }
mandate-else() { printf '%s\\n' search '$(touch never)'; }
${await scriptFor('bash')}`;
  expect(offered(script, ['mandate', 'tail', '--agent', 'bot'])).toEqual(['bot-1', 'bot-2']);
  expect(offered(script, ['mandate', 'kill', 'o'])).toEqual(['other']);
  expect(offered(script, ['mandate', 'spend', '--agent', ''])).toEqual(['bot-1', 'bot-2', 'other']);
  expect(offered(script, ['mandate-else', 'spend', '--tool', ''])).toEqual(['search', '$(touch never)']);
  expect(offered(script, ['no-such-command', 'spend', '--tool', ''])).toEqual([]);
});

it('lets bash complete values that may be files', async () => {
  expect(offered(await scriptFor('bash'), ['mandate', 'eval', '--mandates', ''])).toEqual([]);
});

it.each(SHELLS)('writes a valid script for %s, if this shell is installed', async (shell) => {
  const script = await scriptFor(shell);
  for (const { name } of SUBCOMMANDS) expect(script).toContain(name);
  const { error, status, stderr } = spawnSync(shell, ['-n'], { input: script, encoding: 'utf8' });
  if (error !== undefined && 'code' in error && error.code === 'ENOENT') return;
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
