import { CAPS, durationInWords, formatMicros, TOTAL_BUDGET } from '@mandate/schemas';
import type { Command } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { CommandFailure, type ExitCode } from '../exit-codes.ts';
import { dollars, durationMs, someText } from '../input/option-values.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { type ConnectionOptions, connect, withConnection } from './connection.ts';

type Options = ConnectionOptions & {
  agent?: string;
  principal?: string;
  mandate?: string;
  tenant?: true;
  budget: string;
  window?: number;
  by: number;
  reason: string;
  idempotencyKey?: string;
};

/** A plane of before does not tell the tenant. */
type Adjusted = { tenant?: string; deltaMicros: number; spentMicros: number };

export function adjustBudgetCommand(command: Command, run: RunCommand): void {
  withConnection(
    command
      .description(
        'Adds to what is counted as spent, or gives back. A limit is changed in its policy or the mandates file; this ' +
          'corrects the counter under it, in the tenant of the key.',
      )
      .option('--agent <id>', 'a budget of this agent', someText)
      .option('--principal <id>', 'a budget of this principal', someText)
      .option('--mandate <id>', 'a budget of this mandate', someText)
      .option('--tenant', 'a budget of the tenant of the key')
      .option('--budget <id>', 'which; total is the lifetime spend of an agent', someText, TOTAL_BUDGET)
      .option(
        '--window <duration>',
        'its window, where it has one, as the mandate says it',
        durationMs({ min: 1, max: CAPS.budgetWindowMs }),
      )
      .requiredOption('--by <dollars>', 'what to add; negative gives back: --by -0.50', dollars)
      .requiredOption('--reason <text>', 'why; goes on the record', someText)
      .option('--idempotency-key <key>', 'the same key again counts once', someText),
  )
    .addHelpText(
      'after',
      `
Examples:
  mandate adjust-budget --agent researcher --by -0.50 --reason "refunded by the vendor"
  mandate adjust-budget --tenant --budget team --window 1d --by 12.25 --reason "invoice 7"`,
    )
    .action((options: Options) => run((context) => adjust(options, context)));
}

async function adjust(options: Options, context: CommandContext): Promise<ExitCode> {
  const { budget, window: windowMs = null, by, reason, idempotencyKey } = options;
  const body = { budget: { ...ownerOf(options), id: budget, windowMs }, deltaMicros: by, reason };
  const api = connect(options, context);
  const adjusted = await api.post<Adjusted>('/v1/budgets/adjust', body, { idempotencyKey });
  if (options.json) await writeJsonLine(context.stdout, adjusted);
  else await write(context.stdout, textOf(adjusted, body.budget));
  return 0;
}

type Budget = { scope: string; subject: string; id: string; windowMs: number | null };

/** Names the tenant: of a key that may several things it is easily another than was meant. */
function textOf({ tenant, spentMicros }: Adjusted, { scope, subject, id, windowMs }: Budget): string {
  const windowed = windowMs === null ? '' : ` per ${durationInWords(windowMs)}`;
  const where = tenant === undefined ? 'the tenant of the key' : `tenant ${tenant}`;
  const whose = scope === 'tenant' ? where : `${scope} ${subject} in ${where}`;
  return `now ${formatMicros(spentMicros)} count as spent: budget ${id}${windowed} of ${whose}\n`;
}

/** The owner of the budget. */
function ownerOf({ agent, principal, mandate, tenant, budget }: Options): { scope: string; subject: string } {
  const named = Object.entries({ agent, principal, mandate, tenant: tenant && '' }).flatMap(
    ([scope, subject]) => (subject === undefined ? [] : [{ scope, subject }]),
  );
  const [owner] = named;
  if (owner === undefined || named.length > 1) {
    throw new CommandFailure(
      2,
      'say whose budget it is: --agent, --principal, --mandate or --tenant, and one of them only',
    );
  }
  if (budget === TOTAL_BUDGET && owner.scope !== 'agent') {
    throw new CommandFailure(
      2,
      `only an agent has the budget ${TOTAL_BUDGET}`,
      'Name the budget with --budget.',
    );
  }
  return owner;
}
