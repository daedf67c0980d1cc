import type { Command } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { CommandFailure, WrongUse } from '../exit-codes.ts';
import { isSure } from '../input/is-sure.ts';
import { readText } from '../input/open-input.ts';
import { someText } from '../input/option-values.ts';
import { shownTime } from '../output/relative-time.ts';
import { type PageOptions, showList, withPage } from '../output/show-list.ts';
import type { Column } from '../output/table.ts';
import { showAnswer } from '../output/write.ts';

type Found = { ref: string; pseudonym: string | null; erased: boolean };
type Erased = { commandId: string; ref: string; at: string };
type Listed = Erased & { by: string; reason: string };
type EraseOptions = { reason: string; yes?: true };

const WHO = 'the id as agents send it; - reads it from stdin, out of the shell history';

/** These commands need a key with the scope `persons`. No key has this scope by default. */
export function personsCommand(command: Command, run: RunCommand): void {
  command.description('Finds what was sealed for a person, and erases people for good. Scope persons.');
  findCommand(command, run);
  eraseCommand(command, run);
  listCommand(command, run);
}

function findCommand(persons: Command, run: RunCommand): void {
  persons
    .command('find')
    .description('Shows how to find a person in the audit. The question is kept on the record.')
    .argument('<person>', WHO, someText)
    .addHelpText(
      'after',
      `
The answer does not say whether anything was sealed for the person. The audit
says that.

Examples:
  mandate persons find mia_li_3668
  mandate decisions list --unseal \\
    --text "$(mandate persons find - --json < id.txt | jq -r .ref)"`,
    )
    .action((named: string) =>
      run(async (context) => {
        const person = await personNamed(named, context);
        const found = await connect(context).post<Found>('/v1/persons/find', { person });
        return showAnswer(context, found, () => textOf(found));
      }),
    );
}

function textOf({ ref, pseudonym, erased }: Found): string {
  const texts = `mandate decisions list --text ${ref}\n`;
  if (erased || pseudonym === null)
    return `${texts}erased: the sealed texts that this command finds cannot be read\n`;
  return `${texts}mandate decisions list --principal ${pseudonym}\n`;
}

function eraseCommand(persons: Command, run: RunCommand): void {
  persons
    .command('erase')
    .description('Destroys the key of everything that was sealed for a person. This cannot be undone.')
    .argument('<person>', WHO, someText)
    .requiredOption(
      '--reason <text>',
      'the reason; recorded permanently, so name a ticket, not a person',
      someText,
    )
    .option('--yes', 'do not ask; needed without a terminal')
    .addHelpText(
      'after',
      `
${WHAT_GOES}

Examples:
  mandate persons erase mia_li_3668 --reason "ticket 4711"
  mandate persons erase - --yes --reason "ticket 4711" < id.txt`,
    )
    .action((named: string, { reason, yes }: EraseOptions) =>
      run(async (context) => {
        if (named === '-' && !yes)
          throw new WrongUse(
            'stdin contains the id, so the command cannot ask for a confirmation',
            'Give --yes if you are sure.',
          );
        const person = await personNamed(named, context);
        if (!yes && !(await isSure(context, `${WHAT_GOES}\n${WHAT_STAYS}\nForget this person?`)))
          throw new CommandFailure(1, 'nobody was erased');
        const erased = await connect(context).post<Erased>('/v1/persons/erase', { person, reason });
        return showAnswer(context, erased, () => `erased, at ${erased.at}\n${WHAT_STAYS}\n`);
      }),
    );
}

function listCommand(persons: Command, run: RunCommand): void {
  withPage(persons.command('list'), 50)
    .description('Lists who erased people, when and why, the newest first. It never says who was erased.')
    .addHelpText(
      'after',
      `
A key with the scope audit may ask too. The question is kept on the record. REF
is what \`persons find\` shows.

Examples:
  mandate persons list
  mandate persons list --json | jq -r 'select(.reason | contains("4711"))'`,
    )
    .action((page: PageOptions) =>
      run((context) => {
        const list = { path: '/v1/persons/erasures', cursor: 'before', pageSize: 200, rows: 'erasures' };
        return showList(context, list, page, { columns, empty: 'nobody was erased' });
      }),
    );
}

function columns(nowMs: number | null): readonly Column<Listed>[] {
  return [
    { title: 'AT', of: ({ at }) => shownTime(at, nowMs) },
    { title: 'BY', of: ({ by }) => by, cut: true },
    { title: 'REF', of: ({ ref }) => ref, keep: true },
    { title: 'WHY', of: ({ reason }) => reason, keep: true, cut: true },
  ];
}

const WHAT_GOES = `Gone for good, from the log, the audit, exports and every backup of them: the
text of everything that was sealed for the person, and the pseudonym of the
person. No text can be sealed for the person again, and no agent can act in
the name of the person.`;

const WHAT_STAYS = `What stays: that there were actions, with everything that was not sealed. Older
backups of the file person-keys can still read the texts, until those backups
are gone too (docs/privacy.md).`;

/** Reads the id from stdin for `-`, without the line break at its end. */
async function personNamed(named: string, context: CommandContext): Promise<string> {
  if (named !== '-') return named;
  const person = (await readText('-', context)).replace(/\r?\n$/, '');
  if (person !== '') return person;
  throw new WrongUse('stdin has no id of a person');
}
