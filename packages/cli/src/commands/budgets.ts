import {
  CAPS,
  type CounterUnit,
  durationInWords,
  formatMicros,
  TOTAL_BUDGET,
  UNIT_NAMES,
} from '@mandate/schemas';
import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { WrongUse } from '../exit-codes.ts';
import { dollars, durationMs, signedNumber, someText } from '../input/option-values.ts';
import { type DryRun, showDryRun, withDryRun } from '../output/dry-run.ts';
import { showAnswer } from '../output/write.ts';
import { questionCommand } from './audit-questions.ts';

type Options = DryRun & {
  agent?: string;
  principal?: string;
  mandate?: string;
  tenant?: true;
  budget: string;
  window?: number;
  by?: number;
  tokens?: number;
  toolCalls?: number;
  reason: string;
  idempotencyKey?: string;
};
type Adjusted = { tenant: string; spentMicros?: number; used?: number };

export function budgetsCommand(command: Command, run: RunCommand): void {
  command.description('Lists budgets, and corrects their spent amounts.');
  questionCommand(command, 'budgets list', run);
  adjustCommand(command, run);
}

function adjustCommand(budgets: Command, run: RunCommand): void {
  withDryRun(budgets.command('adjust'))
    .description(
      'Adds to the spent amount of a budget, or gives back. The limit itself is changed in its policy or mandates file. Scope operate.',
    )
    .option('--agent <id>', 'a budget of this agent', someText)
    .option('--principal <id>', 'a budget of this principal', someText)
    .option('--mandate <id>', 'a budget of this mandate', someText)
    .option('--tenant', 'a budget of the tenant of the key')
    .option(
      '--budget <id>',
      'the id of the budget; total: what an agent spends in all',
      someText,
      TOTAL_BUDGET,
    )
    .option(
      '--window <duration>',
      'the window of the budget, if it has one: 1d',
      durationMs({ min: 1, max: CAPS.budgetWindowMs }),
    )
    .option('--by <dollars>', 'the dollars to add; negative gives back: -0.50', dollars)
    .option(
      '--tokens <number>',
      'instead of --by: the tokens to add to a limit on tokens; negative gives back',
      signedNumber,
    )
    .option(
      '--tool-calls <number>',
      'instead of --by: the tool calls to add to a limit on the tool calls of answers; negative gives back',
      signedNumber,
    )
    .requiredOption('--reason <text>', 'why; kept on the record', someText)
    .option('--idempotency-key <key>', 'the same key again changes nothing', someText)
    .addHelpText(
      'after',
      `
Examples:
  mandate budgets adjust --agent researcher --by -0.50 --reason "refund"
  mandate budgets adjust --tenant --budget team --window 1d --by 12.25 \\
    --reason "invoice 7"
  mandate budgets adjust --agent researcher --tokens -50000 \\
    --reason "a false report"`,
    )
    .action((options: Options) =>
      run(async (context) => {
        const { budget, window: windowMs = null, reason, idempotencyKey, dryRun } = options;
        const named = { ...ownerOf(options), id: budget, windowMs };
        const { unit, ...amount } = amountOf(options);
        const body = { budget: { ...named, ...(unit !== undefined && { unit }) }, ...amount, reason };
        const adjusted = await connect(context).post<Adjusted>('/v1/budgets/adjust', body, {
          idempotencyKey,
          query: { dryRun },
        });
        if (dryRun) return showDryRun(context, adjusted);
        return showAnswer(context, adjusted, () => textOf(adjusted, { ...named, unit }));
      }),
    );
}

type Budget = {
  scope: string;
  subject: string;
  id: string;
  windowMs: number | null;
  unit: CounterUnit | undefined;
};

/** Returns the result with the tenant. A person who used a key of another tenant then sees the mistake. */
function textOf(
  { tenant, spentMicros = 0, used }: Adjusted,
  { scope, subject, id, windowMs, unit }: Budget,
): string {
  const windowed = windowMs === null ? '' : ` per ${durationInWords(windowMs)}`;
  const owner = scope === 'tenant' ? `tenant ${tenant}` : `${scope} ${subject} in tenant ${tenant}`;
  if (unit !== undefined)
    return `now ${used} ${UNIT_NAMES[unit].noun} count as used: limit ${id}${windowed} of ${owner}\n`;
  return `now ${formatMicros(spentMicros)} count as spent: budget ${id}${windowed} of ${owner}\n`;
}

type Amount = { unit?: CounterUnit; delta?: number; deltaMicros?: number };

function amountOf({ by, tokens, toolCalls }: Options): Amount {
  const inUnits = Object.entries({ tokens, toolCalls }).flatMap(([unit, delta]): Amount[] =>
    delta === undefined ? [] : [{ unit: unit as CounterUnit, delta }],
  );
  const [amount, ...others] = [...(by === undefined ? [] : [{ deltaMicros: by }]), ...inUnits];
  if (amount === undefined || others.length > 0)
    throw new WrongUse(
      'an amount is missing, or several are given',
      'Give one of --by, --tokens and --tool-calls.',
    );
  return amount;
}

function ownerOf({ agent, principal, mandate, tenant, budget }: Options): { scope: string; subject: string } {
  const named = Object.entries({ agent, principal, mandate, tenant: tenant && '' }).flatMap(
    ([scope, subject]) => (subject === undefined ? [] : [{ scope, subject }]),
  );
  const [owner] = named;
  if (owner === undefined || named.length > 1)
    throw new WrongUse(
      'no owner, or more than one owner, of the budget is named',
      'Give one of --agent, --principal, --mandate and --tenant.',
    );
  if (budget === TOTAL_BUDGET && owner.scope !== 'agent')
    throw new WrongUse(`only an agent has the budget ${TOTAL_BUDGET}`, 'Name the budget with --budget.');
  return owner;
}
