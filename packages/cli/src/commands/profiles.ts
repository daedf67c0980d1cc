import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { WrongUse } from '../exit-codes.ts';
import { showRows } from '../output/show-list.ts';
import type { Column } from '../output/table.ts';
import { showAnswer } from '../output/write.ts';
import { DEFAULT_PROFILE, type Profile, readProfiles, writeProfiles } from '../profiles/profile-file.ts';

export function profilesCommand(command: Command, run: RunCommand): void {
  command
    .description('Lists the profiles that `mandate login` keeps, without their keys.')
    .addHelpText('after', '\nExamples:\n  mandate profiles\n  mandate profiles --json | jq -r .name')
    .action(() =>
      run(async (context) => {
        // The key is left out here, so that no output can show it.
        const shown = Object.entries(readProfiles(context.env)).map(([name, { key: _, ...rest }]) => ({
          name,
          ...rest,
        }));
        const empty = 'no profile is kept: `mandate login` adds one';
        await showRows(context, shown, { columns: () => COLUMNS, empty });
        return 0;
      }),
    );
}

const COLUMNS: readonly Column<Omit<Profile, 'key'> & { name: string }>[] = [
  { title: 'PROFILE', of: ({ name }) => name, keep: true },
  { title: 'ADDRESS', of: ({ url }) => url },
];

export function logoutCommand(command: Command, run: RunCommand): void {
  command
    .description('Forgets a profile and its key. The key itself stays valid: `mandate keys revoke` ends it.')
    .addHelpText('after', '\nExamples:\n  mandate logout\n  mandate logout --profile prod')
    .action(() =>
      run(async (context) => {
        const { globals, env } = context;
        const name = globals.profile ?? (env.MANDATE_PROFILE || DEFAULT_PROFILE);
        const { [name]: forgotten, ...others } = readProfiles(env);
        if (forgotten === undefined)
          throw new WrongUse(`there is no profile ${name}`, '`mandate profiles` lists them.');
        writeProfiles(env, others);
        return showAnswer(context, { profile: name }, () => `forgot the profile ${name}\n`);
      }),
    );
}
