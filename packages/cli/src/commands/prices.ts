import { loadMandatesFile } from '@mandate/documents';
import { type KnownPrice, knownPrices, LISTS_PUBLISHED } from '@mandate/policy';
import { formatMicros } from '@mandate/schemas';
import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { showRows } from '../output/show-list.ts';
import type { Column } from '../output/table.ts';

const COLUMNS: readonly Column<KnownPrice>[] = [
  { title: 'PROVIDER', of: ({ provider }) => provider ?? '(mandate)', keep: true },
  { title: 'MODEL', of: ({ model }) => model, keep: true },
  { title: 'FROM TOKENS', of: ({ fromInputTokens }) => String(fromInputTokens), align: 'right', extra: true },
  { title: 'INPUT', of: ({ inputMicros }) => formatMicros(inputMicros), align: 'right' },
  { title: 'CACHED', of: ({ cachedInputMicros }) => formatMicros(cachedInputMicros), align: 'right' },
  { title: 'OUTPUT', of: ({ outputMicros }) => formatMicros(outputMicros), align: 'right' },
];

export function pricesCommand(command: Command, run: RunCommand): void {
  command
    .description(
      `Lists the known prices of LLM calls, in dollars for a million tokens. The price lists were published on ${LISTS_PUBLISHED}. ` +
        'modelPrices of a mandate or policy sets other prices: docs/llm-calls.md.',
    )
    .argument('[text]', 'only providers and models with this text in their names')
    .option(
      '--prices <file>',
      'list the modelPrices of the mandates in this file first; they replace the lists',
    )
    .addHelpText(
      'after',
      `
Examples:
  mandate prices sonnet
  mandate prices --prices mandates.yaml --json`,
    )
    .action((text: string | undefined, { prices }: { prices?: string }) =>
      run(async (context) => {
        const mandates = prices === undefined ? [] : loadMandatesFile(prices);
        const rows = knownPrices(mandates, text ?? '', Date.now());
        await showRows(context, rows, {
          columns: () => COLUMNS,
          empty: 'No price is known. Set modelPrices in a mandate or policy.',
        });
        return 0;
      }),
    );
}
