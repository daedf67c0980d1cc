import type { Command } from 'commander';
import { Option } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { WrongUse } from '../exit-codes.ts';
import { anyJson, someText } from '../input/option-values.ts';
import { shownTime } from '../output/relative-time.ts';
import { type PageOptions, showList, withPage } from '../output/show-list.ts';
import type { Column } from '../output/table.ts';
import { showAnswer } from '../output/write.ts';
import { followRun } from '../runs/follow-run.ts';
import { type ListedRun, type Run, runText } from '../runs/run-text.ts';

const ID = 'the id of the run, as `runs list` shows it';
const STATUSES = ['running', 'waiting', 'completed', 'failed', 'cancelled'];

export function runsCommand(command: Command, run: RunCommand): void {
  command.description(
    'Lists, follows, cancels and retries runs of agent manifests: docs/agent-manifests.md.',
  );
  listCommand(command, run);
  showCommand(command, run);
  resumeCommand(command, run);
  cancelCommand(command, run);
  retryCommand(command, run);
  resolveCommand(command, run);
}

type ListOptions = PageOptions & { manifest?: string; status?: string };

function listCommand(runs: Command, run: RunCommand): void {
  const list = runs
    .command('list')
    .description('Lists runs, the newest first. Scope audit or operate.')
    .option('--manifest <id>', 'runs of this manifest', someText)
    .addOption(new Option('--status <status>', 'runs with this status').choices(STATUSES));
  withPage(list)
    .addHelpText(
      'after',
      '\nExamples:\n  mandate runs list --status waiting\n  mandate runs list --json | jq -r .id',
    )
    .action(({ manifest, status, ...page }: ListOptions) =>
      run((context) => {
        const query = { manifest, status };
        const list = { path: '/v1/runs', query, rows: 'runs' };
        return showList(context, list, page, { columns, empty: 'no run' });
      }),
    );
}

function columns(nowMs: number | null): readonly Column<ListedRun>[] {
  return [
    { title: 'ID', of: ({ id }) => id, keep: true },
    { title: 'MANIFEST', of: ({ manifest }) => manifest.id, cut: true },
    { title: 'STATUS', of: ({ status }) => status },
    { title: 'STARTED', of: ({ startedAt }) => shownTime(startedAt, nowMs) },
    { title: 'UPDATED', of: ({ updatedAt }) => shownTime(updatedAt, nowMs), rank: 3 },
    { title: 'BY', of: ({ by }) => by, cut: true, rank: 4 },
  ];
}

function showCommand(runs: Command, run: RunCommand): void {
  runs
    .command('show')
    .description('Shows a run: its steps with their outputs, and what it waits for. Scope audit or operate.')
    .argument('<id>', ID, someText)
    .addHelpText('after', '\nExample:\n  mandate runs show run_01kc7d5k0g')
    .action((id: string) =>
      run(async (context) => {
        const shown = await connect(context).get<Run>(pathOf(id));
        return showAnswer(context, shown, () => runText(shown, context.stdout));
      }),
    );
}

function resumeCommand(runs: Command, run: RunCommand): void {
  runs
    .command('resume')
    .description(
      'Follows a run from its first event until it ends or waits for a person. Scope audit or operate.',
    )
    .argument('<id>', ID, someText)
    .option('--wait', 'go on while the run waits for a person')
    .addHelpText(
      'after',
      `
Exit code 0: the run completed. 1: it failed or was cancelled. 3: it waits for
a person.

Example:
  mandate runs resume run_01kc7d5k0g`,
    )
    .action((id: string, { wait }: { wait?: true }) =>
      run((context) => followRun(context, connect(context), id, { untilPerson: wait !== true })),
    );
}

function cancelCommand(runs: Command, run: RunCommand): void {
  runs
    .command('cancel')
    .description('Ends a run. Calls that run are aborted. Scope operate.')
    .argument('<id>', ID, someText)
    .option('--reason <text>', 'why, for the log', someText)
    .addHelpText('after', '\nExample:\n  mandate runs cancel run_01kc7d5k0g --reason "wrong inputs"')
    .action((id: string, { reason }: { reason?: string }) =>
      run(async (context) => {
        const body = reason === undefined ? {} : { reason };
        const ended = await connect(context).post<ListedRun>(`${pathOf(id)}/cancel`, body);
        return showAnswer(context, ended, () => `${ended.id} is ${ended.status}\n`);
      }),
    );
}

function retryCommand(runs: Command, run: RunCommand): void {
  runs
    .command('retry')
    .description('Lets a failed run go on at the step that failed, with all attempts again. Scope operate.')
    .argument('<id>', ID, someText)
    .addHelpText('after', '\nExample:\n  mandate runs retry run_01kc7d5k0g')
    .action((id: string) =>
      run(async (context) => {
        const shown = await connect(context).post<ListedRun>(`${pathOf(id)}/retry`);
        return showAnswer(context, shown, () => `${shown.id} is ${shown.status}\n`);
      }),
    );
}

type ResolveOptions = { done?: unknown; notDone?: true };

function resolveCommand(runs: Command, run: RunCommand): void {
  runs
    .command('resolve')
    .description(
      'Says whether an uncertain call was done. The run goes on with the output that you give. Scope operate.',
    )
    .argument('<id>', ID, someText)
    .argument('<step>', 'the step that is uncertain', someText)
    .addOption(
      new Option('--done <json>', 'it was done, and this is its output, such as null')
        .argParser(anyJson)
        .conflicts('notDone'),
    )
    .option('--not-done', 'it was not done: the call is made again')
    .addHelpText(
      'after',
      `
Examples:
  mandate runs resolve run_01kc7d5k0g refund --done '{"refund": "rf_17"}'
  mandate runs resolve run_01kc7d5k0g refund --not-done`,
    )
    .action((id: string, step: string, options: ResolveOptions) =>
      run(async (context) => {
        const isDone = Object.hasOwn(options, 'done');
        if (!isDone && options.notDone !== true)
          throw new WrongUse('say what became of the call', 'Add --done with its output, or --not-done.');
        const body = isDone ? { done: true, output: options.done } : { done: false };
        const path = `${pathOf(id)}/steps/${encodeURIComponent(step)}/resolve`;
        const shown = await connect(context).post<ListedRun>(path, body);
        return showAnswer(context, shown, () => `${shown.id} is ${shown.status}\n`);
      }),
    );
}

function pathOf(id: string): string {
  return `/v1/runs/${encodeURIComponent(id)}`;
}
