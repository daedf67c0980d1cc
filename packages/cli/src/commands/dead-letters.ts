import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import {
  findLetter,
  type Letter,
  type LetterReference,
  letterReference,
  WHICH_LETTER,
} from '../dead-letters/find-letter.ts';
import { letterText } from '../dead-letters/show-letter.ts';
import { shownTime } from '../output/relative-time.ts';
import { type PageOptions, showList, withPage } from '../output/show-list.ts';
import type { Column } from '../output/table.ts';
import { showAnswer } from '../output/write.ts';
import { republishCommand } from './republish-dead-letter.ts';

type Listed = Letter & { partition: number; offset: number };
/** A dead letter as the audit returns it. The audit has no bytes of the record. */
type Audited = { id: string; foundAt: string; reason: string; log: { partition: number; offset: number } };

export function deadLettersCommand(command: Command, run: RunCommand): void {
  command.description(
    'Shows records that could not be read, and publishes them again, corrected or as they were. Scope operate:all.',
  );
  listCommand(command, run);
  showCommand(command, run);
  republishCommand(command, run);
}

function listCommand(deadLetters: Command, run: RunCommand): void {
  const list = deadLetters
    .command('list')
    .description('Lists dead letters, the newest first, with their faults.')
    .option('--open', 'from the audit: those that were not published again');
  withPage(list, 50)
    .addHelpText(
      'after',
      '\nExamples:\n  mandate dead-letters list --open\n  mandate dead-letters list --json | jq -r .id',
    )
    .action(({ open, ...page }: PageOptions & { open?: true }) =>
      run((context) => {
        const common = { pageSize: 200, rows: 'deadLetters' };
        if (open) {
          const inAudit = { path: '/v1/audit/dead-letters', query: { republished: false }, ...common };
          return showList(context, inAudit, page, { columns: openColumns, empty: 'no dead letter is open' });
        }
        const onLog = { path: '/v1/dead-letters', cursor: 'before', ...common };
        return showList(context, onLog, page, { columns, empty: 'no dead letters' });
      }),
    );
}

function showCommand(deadLetters: Command, run: RunCommand): void {
  deadLetters
    .command('show')
    .description('Shows a dead letter: the fault and its place, the record, and what was done about it.')
    .argument('<letter>', WHICH_LETTER, letterReference)
    .addHelpText(
      'after',
      `
Asked by its id, the audit also says what became of the record that was
published again.

Examples:
  mandate dead-letters show 3/17
  mandate dead-letters show dlq_… --json | jq -r .text`,
    )
    .action((reference: LetterReference) =>
      run(async (context) => {
        const found = await findLetter(connect(context), reference);
        return showAnswer(context, found, () => letterText(found, context.stdout));
      }),
    );
}

function columns(nowMs: number | null): readonly Column<Listed>[] {
  return [
    { title: 'PLACE', of: ({ partition, offset }) => `${partition}/${offset}`, keep: true },
    { title: 'ID', of: ({ id }) => id, keep: true },
    { title: 'AT', of: ({ at }) => shownTime(at, nowMs) },
    { title: 'KEY', of: ({ key }) => key ?? '', cut: true, extra: true },
    { title: 'BYTES', of: ({ bytes }) => String(bytes), align: 'right', extra: true },
    {
      title: 'WRONG',
      of: ({ fault }) => `${fault.line}:${fault.column} ${fault.reason}`,
      keep: true,
      cut: true,
    },
  ];
}

function openColumns(nowMs: number | null): readonly Column<Audited>[] {
  return [
    { title: 'PLACE', of: ({ log }) => `${log.partition}/${log.offset}`, keep: true },
    { title: 'ID', of: ({ id }) => id, keep: true },
    { title: 'AT', of: ({ foundAt }) => shownTime(foundAt, nowMs) },
    { title: 'WRONG', of: ({ reason }) => reason, keep: true, cut: true },
  ];
}
