import { createInterface } from 'node:readline/promises';
import { rowsOf } from '@mandate/client';
import type { Command } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { CommandFailure } from '../exit-codes.ts';
import { readText } from '../input/open-input.ts';
import { someText, wholeNumber } from '../input/option-values.ts';
import type { FittingColumn } from '../output/fit-columns.ts';
import { shownTime } from '../output/relative-time.ts';
import { nowOn } from '../output/show-fitted.ts';
import { showRows } from '../output/show-rows.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { type ConnectionOptions, connect, withConnection } from './connection.ts';

type Found = { ref: string; pseudonym: string | null; erased: boolean };
type Erased = { commandId: string; ref: string; at: string };
type Listed = Erased & { by: string; reason: string };
type Page = { erasures: readonly Listed[]; next: number | null };
type EraseOptions = ConnectionOptions & { reason: string; yes?: true };

const WHO = 'the id, exactly as agents send it; - reads it from stdin, so that no shell history has it';

/** Its API key needs the scope persons, which no key has from the first. */
export function personsCommand(command: Command, run: RunCommand): void {
  command.description(
    'Finds what was sealed of a person, and forgets people for ever; a key with the scope persons is needed.',
  );
  findCommand(command, run);
  eraseCommand(command, run);
  listCommand(command, run);
}

function findCommand(persons: Command, run: RunCommand): void {
  withConnection(
    persons
      .command('find')
      .description('Shows by what the audit finds a person. That it is asked goes on the record.')
      .argument('<person>', WHO, someText),
  )
    .addHelpText(
      'after',
      `
It tells nothing of whether anything was sealed of them: that is for the audit to say.

Examples:
  mandate persons find mia_li_3668
  mandate query decisions --unseal --text "$(mandate persons find - --json < id.txt | jq -r .ref)"`,
    )
    .action((named: string, options: ConnectionOptions) =>
      run(async (context) => {
        const person = await personNamed(named, context);
        const found = await connect(options, context).post<Found>('/v1/persons/find', { person });
        if (options.json) await writeJsonLine(context.stdout, found);
        else await write(context.stdout, textOf(found));
        return 0;
      }),
    );
}

function textOf({ ref, pseudonym, erased }: Found): string {
  const texts = `mandate query decisions --text ${ref}\n`;
  if (erased || pseudonym === null) return `${texts}erased: what that finds can be read by nobody any more\n`;
  return `${texts}mandate query decisions --principal ${pseudonym}\n`;
}

function eraseCommand(persons: Command, run: RunCommand): void {
  withConnection(
    persons
      .command('erase')
      .description('Forgets a person: destroys the key of all that was sealed of them. There is no way back.')
      .argument('<person>', WHO, someText)
      .requiredOption(
        '--reason <text>',
        'why; stays on the log for ever, so name a ticket there and nobody',
        someText,
      )
      .option('--yes', 'without asking; needed where there is no terminal to ask on'),
  )
    .addHelpText(
      'after',
      `
${WHAT_GOES}

Examples:
  mandate persons erase mia_li_3668 --reason "ticket 4711"
  mandate persons erase - --yes --reason "ticket 4711" < id.txt`,
    )
    .action((named: string, options: EraseOptions) =>
      run(async (context) => {
        const { reason, yes, json } = options;
        if (named === '-' && !yes) {
          throw new CommandFailure(
            2,
            'stdin has the id, so nobody can be asked',
            'Say --yes if you are sure.',
          );
        }
        const person = await personNamed(named, context);
        if (!yes && !(await isSure(context))) throw new CommandFailure(1, 'nobody was erased');
        const erased = await connect(options, context).post<Erased>('/v1/persons/erase', { person, reason });
        if (json) await writeJsonLine(context.stdout, erased);
        else await write(context.stdout, `erased, at ${erased.at}\n${WHAT_STAYS}\n`);
        return 0;
      }),
    );
}

function listCommand(persons: Command, run: RunCommand): void {
  withConnection(
    persons
      .command('list')
      .description('Shows who was forgotten: by whom, when and why, newest first, never who it was.')
      .option('--limit <count>', 'how many', wholeNumber({ min: 1, max: 1_000_000 }), 50),
  )
    .addHelpText(
      'after',
      `
A key with the scope audit may ask too. That it is asked goes on the record. REF is what \`persons find\` shows.

Examples:
  mandate persons list
  mandate persons list --json | jq -r 'select(.reason | contains("4711"))'`,
    )
    .action(({ limit, ...options }: ConnectionOptions & { limit: number }) =>
      run(async (context) => {
        const list = { path: '/v1/persons/erasures', cursor: 'before', pageSize: PAGE };
        const rows = ({ erasures }: Page) => erasures;
        await showRows(context.stdout, rowsOf(connect(options, context), { ...list, rows }, limit), {
          json: options.json === true,
          columns: columns(nowOn(context.stdout)),
          empty: 'nobody was erased',
          rest: '--json has all',
        });
        return 0;
      }),
    );
}

const PAGE = 200;

/** The ref last, which is as long as half a terminal. */
function columns(nowMs: number | null): readonly FittingColumn<Listed>[] {
  const foremost = { cuttable: true, foremost: true };
  return [
    {
      title: 'AT',
      of: ({ at }) => shownTime(at, nowMs),
      ...foremost,
      cuttable: false,
      rank: 0,
    },
    { title: 'BY', of: ({ by }) => by, ...foremost, rank: 1 },
    { title: 'REF', of: ({ ref }) => ref, cuttable: false, foremost: false, rank: 3 },
    { title: 'WHY', of: ({ reason }) => reason, ...foremost, rank: 2 },
  ];
}

const WHAT_GOES = `Gone for ever, from the log, the audit, exports and every backup of those: the text of all that was sealed of the person,
and whose pseudonym theirs was. Nothing can be sealed of them again, and no action be taken in their name.`;

const WHAT_STAYS = `What stays: that there were actions, with what was not sealed; backups of the file person-keys from before can read it all
until they are gone too (docs/privacy.md).`;

async function isSure({ stdin, stderr, signal }: CommandContext): Promise<boolean> {
  if (!('isTTY' in stdin) || stdin.isTTY !== true) {
    throw new CommandFailure(2, 'there is no terminal to ask on', 'Say --yes if you are sure.');
  }
  const lines = createInterface({ input: stdin, output: stderr, terminal: true });
  try {
    const answer = await lines.question(`${WHAT_GOES}\n${WHAT_STAYS}\nForget this person? (yes/no) `, {
      signal,
    });
    return answer.trim().toLowerCase() === 'yes';
  } finally {
    lines.close();
  }
}

/** From stdin, without the line break at the end, which is no part of the id. */
async function personNamed(named: string, context: CommandContext): Promise<string> {
  if (named !== '-') return named;
  const person = (await readText('-', context)).replace(/\r?\n$/, '');
  if (person !== '') return person;
  throw new CommandFailure(2, 'stdin has no id of a person');
}
