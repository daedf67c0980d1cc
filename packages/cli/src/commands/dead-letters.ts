import { readFileSync } from 'node:fs';
import type { DeadLetter } from '@mandate/schemas';
import { type Command, InvalidArgumentError } from 'commander';
import { CommandFailure, type RunCommand } from '../command-context.ts';
import { cannotRead } from '../input/open-input.ts';
import { wholeNumber } from '../input/option-values.ts';
import { showRows } from '../output/show-rows.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { rowsOf } from '../pages.ts';
import { type ConnectionOptions, connect, withConnection } from './connection.ts';

type Listed = DeadLetter['deadLetter'] & { partition: number; offset: number };
type Page = { deadLetters: readonly Listed[]; next: string | null };
type Place = { partition: number; offset: number };

const PAGE = 200;

export function deadLettersCommand(command: Command, run: RunCommand): void {
  command.description('Works on what could not be read; a key with the scope operate:all is needed.');
  listCommand(command, run);
  republishCommand(command, run);
}

function listCommand(deadLetters: Command, run: RunCommand): void {
  const list = deadLetters
    .command('list')
    .description('Shows the newest, with what is wrong with them.')
    .option('--limit <count>', 'how many', wholeNumber({ min: 1, max: 1_000_000 }), 50)
    .addHelpText(
      'after',
      `
Examples:
  mandate dead-letters list
  mandate dead-letters list --json | jq -r .valueBase64 | base64 -d`,
    );
  withConnection(list).action((options: ConnectionOptions & { limit: number }) =>
    run(async (context) => {
      const api = connect(options, context);
      const letters = rowsOf(
        api,
        {
          path: '/v1/dead-letters',
          cursor: 'before',
          pageSize: PAGE,
          rows: ({ deadLetters }: Page) => deadLetters,
        },
        options.limit,
      );
      await showRows(context.stdout, letters, {
        json: options.json === true,
        columns: COLUMNS,
        empty: 'no dead letters',
      });
      return 0;
    }),
  );
}

function republishCommand(deadLetters: Command, run: RunCommand): void {
  const republish = deadLetters
    .command('republish')
    .description('Publishes one again: as it was, or the corrected record of a file.')
    .argument('<place>', 'partition/offset, as `dead-letters list` shows it', placeOf)
    .option('--corrected <file>', 'the corrected record, JSON')
    .addHelpText(
      'after',
      `
Examples:
  mandate dead-letters republish 3/17
  mandate dead-letters republish 3/17 --corrected mended.json`,
    );
  withConnection(republish).action(
    ({ partition, offset }: Place, options: ConnectionOptions & { corrected?: string }) =>
      run(async (context) => {
        const body = options.corrected === undefined ? undefined : { value: readJsonFile(options.corrected) };
        const path = `/v1/dead-letters/${partition}/${offset}/republish`;
        const answer = await connect(options, context).post(path, body);
        if (options.json) await writeJsonLine(context.stdout, answer);
        else await write(context.stdout, `published ${partition}/${offset} again\n`);
        return 0;
      }),
  );
}

const COLUMNS = [
  { title: 'PLACE', of: ({ partition, offset }: Listed) => `${partition}/${offset}` },
  { title: 'AT', of: ({ at }: Listed) => at },
  { title: 'KEY', of: ({ key }: Listed) => key ?? '' },
  { title: 'BYTES', of: ({ bytes }: Listed) => String(bytes), align: 'right' as const },
  { title: 'WRONG', of: ({ fault }: Listed) => `${fault.line}:${fault.column} ${fault.reason}` },
];

function placeOf(text: string): Place {
  const [, partition, offset] = /^(\d{1,9})\/(\d{1,15})$/.exec(text) ?? [];
  if (partition === undefined || offset === undefined) {
    throw new InvalidArgumentError('Give partition/offset, such as 3/17.');
  }
  return { partition: Number(partition), offset: Number(offset) };
}

function readJsonFile(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw cannotRead(path, error);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CommandFailure(
      2,
      `${path} is not JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
