import type { ApiClient } from '@mandate/client';
import { allOf, rowsOf } from '@mandate/client';
import { durationInWords, formatMicros, TOTAL_BUDGET } from '@mandate/schemas';
import type { Command } from 'commander';
import type { Output, RunCommand } from '../command-context.ts';
import { CommandFailure } from '../exit-codes.ts';
import { printableLines } from '../output/printable.ts';
import { showRows } from '../output/show-rows.ts';
import { type Column, paint } from '../output/table.ts';
import { write } from '../output/write.ts';
import { type ConnectionOptions, connect, withConnection } from './connection.ts';

type Agent = {
  agentId: string;
  spentMicros: number;
  openActions: number;
  killed: { scope: string; reason: string } | null;
  status: 'registered' | 'retired' | 'named' | null;
};

type Page = { agents: readonly Agent[]; next: string | null };

type Budget = { subject: string; budgetId: string; windowMs: number | null; leftMicros: number | null };

/** `exhausted`: the agent's budgets that have nothing left; null if the audit could not be asked. */
type Shown = Agent & { exhausted: readonly Pick<Budget, 'budgetId' | 'windowMs'>[] | null };

/** As many budgets as the audit gives in one answer. */
const MOST_BUDGETS = 1_000;

export function agentsCommand(command: Command, run: RunCommand): void {
  withConnection(
    command.description(
      'Lists the agents that acted, were killed, are registered, or are named by the mandates file. The agent that spent most comes first.',
    ),
  )
    .addHelpText(
      'after',
      `
STATE says what stops an agent: a kill, or that the agent was retired. \`exhausted\` means that a budget of the
agent has nothing left of the limit that its last decision was weighed against. That needs a key with the scope
audit. \`mandate preview\` shows what the others may do.

Examples:
  mandate agents
  mandate agents --json | jq -r 'select(.killed) | .agentId'`,
    )
    .action((options: ConnectionOptions) =>
      run(async (context) => {
        const { stdout } = context;
        const api = connect(options, context);
        const agents = await allOf(agentsOf(api));
        const budgets = await exhaustedBudgets(api, context.stderr);
        agents.sort((one, other) => other.spentMicros - one.spentMicros);
        await showRows(stdout, shownOf(agents, budgets), {
          json: options.json === true,
          columns: columns(stdout),
          empty: 'no agent is known yet',
        });
        return 0;
      }),
    );
}

/** By id. A page that is sorted by what was spent would move while it is read. */
function agentsOf(api: ApiClient): AsyncIterable<Agent> {
  return rowsOf(api, {
    path: '/v1/ledger/agents',
    cursor: 'after',
    pageSize: 1_000,
    rows: ({ agents }: Page) => agents,
  });
}

/** The budgets of agents that have nothing left, by agent; null, with a note, if the audit does not tell. */
async function exhaustedBudgets(
  api: ApiClient,
  stderr: Output,
): Promise<ReadonlyMap<string, readonly Budget[]> | null> {
  try {
    // The fullest come first.
    const { budgets } = await api.get<{ budgets: readonly Budget[] }>('/v1/audit/analytics/budgets', {
      scope: 'agent',
      limit: MOST_BUDGETS,
    });
    const exhausted = budgets.filter(({ leftMicros }) => leftMicros !== null && leftMicros <= 0);
    if (exhausted.length === MOST_BUDGETS) {
      await write(
        stderr,
        `mandate: note: more than ${MOST_BUDGETS} budgets may be exhausted; not all are shown\n`,
      );
    }
    return Map.groupBy(exhausted, ({ subject }) => subject);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const note = `mandate: note: it is not known which budgets are exhausted: ${error.message}\n`;
    await write(stderr, printableLines(note));
    return null;
  }
}

async function* shownOf(
  agents: readonly Agent[],
  budgets: ReadonlyMap<string, readonly Budget[]> | null,
): AsyncIterable<Shown> {
  for (const agent of agents) {
    const exhausted = budgets?.get(agent.agentId) ?? [];
    yield {
      ...agent,
      exhausted: budgets && exhausted.map(({ budgetId, windowMs }) => ({ budgetId, windowMs })),
    };
  }
}

function columns(stdout: Output): readonly Column<Shown>[] {
  return [
    { title: 'AGENT', of: ({ agentId }) => agentId },
    { title: 'SPENT', of: ({ spentMicros }) => formatMicros(spentMicros), align: 'right' },
    { title: 'OPEN', of: ({ openActions }) => String(openActions), align: 'right' },
    {
      title: 'STATE',
      of: stateOf,
      style: (agent, text) => {
        if (agent.killed !== null || agent.status === 'retired') return paint('red', text, stdout);
        return isExhausted(agent) ? paint('yellow', text, stdout) : text;
      },
    },
  ];
}

function isExhausted({ exhausted }: Shown): boolean {
  return exhausted !== null && exhausted.length > 0;
}

function stateOf(agent: Shown): string {
  const { killed, status, exhausted } = agent;
  const stops = [
    ...(status === 'retired' ? ['retired'] : []),
    ...(killed === null ? [] : [`killed (${killed.scope}): ${killed.reason}`]),
    ...(isExhausted(agent) ? [`exhausted${namesOf(exhausted ?? [])}`] : []),
  ];
  return stops.length === 0 ? 'alive' : stops.join(', ');
}

/** Empty if only the agent's total is exhausted. */
function namesOf(budgets: NonNullable<Shown['exhausted']>): string {
  if (budgets.every(({ budgetId, windowMs }) => budgetId === TOTAL_BUDGET && windowMs === null)) return '';
  const names = budgets.map(({ budgetId, windowMs }) =>
    windowMs === null ? budgetId : `${budgetId} per ${durationInWords(windowMs)}`,
  );
  return ` (${names.join(', ')})`;
}
