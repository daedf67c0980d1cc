import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { momentBefore, someText, wholeNumber } from '../input/option-values.ts';
import { showRows } from '../output/show-list.ts';

type Value = { value: string; decisions: number; lastAt: string | null };
type Options = { prefix?: string; from?: string; limit: number };

export function valuesCommand(command: Command, run: RunCommand): void {
  command
    .description(
      'Lists the values of a field that decisions have, the most frequent first: agent, tool, model, provider, type, verdict, ' +
        'code, observedCode, principal, role, mandate or policy. Scope audit.',
    )
    .argument('<field>', 'the name of the field', someText)
    .option('--prefix <text>', 'only values that begin with this text', someText)
    .option('--from <time>', 'decided since: a time, a day, or 15m, 2h, 7d ago', momentBefore(Date.now))
    .option('--limit <count>', 'at most this many', wholeNumber({ min: 1, max: 100 }), 20)
    .addHelpText(
      'after',
      '\nExamples:\n  mandate values code\n  mandate values tool --prefix read_ --from 7d',
    )
    .action((field: string, { prefix, from, limit }: Options) =>
      run(async (context) => {
        const query = { field, prefix, from, limit };
        const { values } = await connect(context).get<{ values: readonly Value[] }>(
          '/v1/audit/values',
          query,
        );
        await showRows(context, values, {
          columns: () => [
            { title: 'VALUE', of: ({ value }) => value, keep: true },
            { title: 'DECISIONS', of: ({ decisions }) => String(decisions), align: 'right' },
            { title: 'LAST', of: ({ lastAt }) => lastAt ?? '' },
          ],
          empty: 'no decision has a value that begins like this',
        });
        return 0;
      }),
    );
}
