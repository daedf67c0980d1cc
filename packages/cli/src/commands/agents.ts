import { type ApiClient, allOf, rowsOf } from '@mandate/client';
import { type AgentDocument, durationInWords, formatMicros, TOTAL_BUDGET } from '@mandate/schemas';
import { type Command, InvalidArgumentError } from 'commander';
import { stringify } from 'yaml';
import { nullIf } from '../api-failure.ts';
import type { Output, RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { CommandFailure, WrongUse } from '../exit-codes.ts';
import { someText } from '../input/option-values.ts';
import { type DryRun, showDryRun, withDryRun } from '../output/dry-run.ts';
import { printableLines } from '../output/printable.ts';
import { moreText, type PageOptions, showList, showRows, withLimit, withPage } from '../output/show-list.ts';
import { type Column, paint } from '../output/table.ts';
import { widerLines } from '../output/wider-lines.ts';
import { showAnswer, write } from '../output/write.ts';
import { agentKeysCommand, type IssuedKey, showKey } from './agent-keys.ts';
import { effectiveCommand } from './effective.ts';
import { openActionsCommand } from './open-actions.ts';

type Agent = {
  agentId: string;
  spentMicros: number;
  openActions: number;
  killed: { scope: string; reason: string } | null;
  status: 'registered' | 'retired' | 'named' | null;
};
type Page = { agents: readonly Agent[]; next: string | null };
type Budget = { subject: string; budgetId: string; windowMs: number | null; leftMicros: number | null };

/** `exhausted`: the budgets of the agent with nothing left; null if the audit did not answer. */
type Shown = Agent & { exhausted: readonly Pick<Budget, 'budgetId' | 'windowMs'>[] | null };

const MOST_BUDGETS = 1_000;

export function agentsCommand(command: Command, run: RunCommand): void {
  command.description('Lists, shows and registers agents, lists their open actions, and issues their keys.');
  listCommand(command, run);
  registeredCommand(command, run);
  showCommand(command, run);
  effectiveCommand(command, run);
  registerCommand(command, run);
  openActionsCommand(command, run);
  agentKeysCommand(command, run);
}

function listCommand(agents: Command, run: RunCommand): void {
  const list = agents
    .command('list')
    .description(
      'Lists the agents that acted, were killed, are registered, or are named by the mandates file. The agent that ' +
        'spent most comes first. Scope audit or operate.',
    );
  withLimit(list)
    .addHelpText(
      'after',
      `
STATE says what stops an agent: a kill, or that the agent was retired.
\`exhausted\`: a budget of the agent has nothing left. That needs the scope
audit. \`mandate preview\` shows what an agent may do.

Examples:
  mandate agents list
  mandate agents list --json | jq -r 'select(.killed) | .agentId'`,
    )
    .action(({ limit }: PageOptions) =>
      run(async (context) => {
        const { stdout, stderr } = context;
        const api = connect(context);
        const all = await allOf(agentsOf(api));
        const budgets = await exhaustedBudgets(api, stderr);
        all.sort((one, other) => other.spentMicros - one.spentMicros);
        await showRows(context, shownOf(all.slice(0, limit), budgets), {
          columns: () => columns(stdout),
          empty: 'no agent is known yet',
        });
        if (all.length > limit) await write(stderr, moreText(limit));
        return 0;
      }),
    );
}

/** Reads agents in the order of their ids. The order by spending could change between two pages. */
function agentsOf(api: ApiClient): AsyncIterable<Agent> {
  const rows = ({ agents }: Page) => agents;
  return rowsOf(api, { path: '/v1/ledger/agents', cursor: 'after', pageSize: 1_000, rows });
}

/** Returns the budgets with nothing left, by agent. Returns null, with a note, if the audit fails. */
async function exhaustedBudgets(
  api: ApiClient,
  stderr: Output,
): Promise<ReadonlyMap<string, readonly Budget[]> | null> {
  try {
    // The audit returns the budgets with the least money left first.
    const { budgets } = await api.get<{ budgets: readonly Budget[] }>('/v1/audit/analytics/budgets', {
      scope: 'agent',
      limit: MOST_BUDGETS,
    });
    const exhausted = budgets.filter(({ leftMicros }) => leftMicros !== null && leftMicros <= 0);
    if (exhausted.length === MOST_BUDGETS)
      await write(stderr, `mandate: note: only ${MOST_BUDGETS} exhausted budgets are shown\n`);
    return Map.groupBy(exhausted, ({ subject }) => subject);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const note = `mandate: note: it is not known which budgets are exhausted: ${error.message}\n`;
    await write(stderr, printableLines(note));
    return null;
  }
}

function shownOf(
  agents: readonly Agent[],
  budgets: ReadonlyMap<string, readonly Budget[]> | null,
): readonly Shown[] {
  const namesIn = (all: readonly Budget[] = []) =>
    all.map(({ budgetId, windowMs }) => ({ budgetId, windowMs }));
  return agents.map((agent) => ({ ...agent, exhausted: budgets && namesIn(budgets.get(agent.agentId)) }));
}

function columns(stdout: Output): readonly Column<Shown>[] {
  return [
    { title: 'AGENT', of: ({ agentId }) => agentId, keep: true },
    { title: 'SPENT', of: ({ spentMicros }) => formatMicros(spentMicros), align: 'right' },
    { title: 'OPEN', of: ({ openActions }) => String(openActions), align: 'right' },
    {
      title: 'STATE',
      of: stateOf,
      keep: true,
      cut: true,
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

/** Returns the names of the exhausted budgets. Empty if only the agent's total is exhausted. */
function namesOf(budgets: NonNullable<Shown['exhausted']>): string {
  if (budgets.every(({ budgetId, windowMs }) => budgetId === TOTAL_BUDGET && windowMs === null)) return '';
  const names = budgets.map(({ budgetId, windowMs }) =>
    windowMs === null ? budgetId : `${budgetId} per ${durationInWords(windowMs)}`,
  );
  return ` (${names.join(', ')})`;
}

type RegisteredOptions = PageOptions & {
  q?: string;
  group?: string;
  parent?: string;
  family?: string;
  label?: string;
};

function registeredCommand(agents: Command, run: RunCommand): void {
  const list = agents
    .command('registered')
    .description('Lists the registered agents with their documents, by id. Scope audit or author.')
    .option('--q <text>', 'agents with this text in their id or name', someText)
    .option('--group <group>', 'agents of this group', someText)
    .option('--parent <agent>', 'direct sub-agents of this agent', someText)
    .option('--family <agent>', 'this agent and all its descendants', someText)
    .option('--label <label>', 'agents with this label: name, or name=value', someText);
  withPage(list)
    .addHelpText(
      'after',
      '\nExamples:\n  mandate agents registered --group support\n  mandate agents registered --family lead --json | jq .agent',
    )
    .action(({ limit, cursor, ...query }: RegisteredOptions) =>
      run((context) => {
        const page = { limit, ...(cursor !== undefined && { cursor }) };
        return showList<{ agent: AgentDocument }>(
          context,
          { path: '/v1/agents', query, rows: 'agents' },
          page,
          {
            columns: () => [
              { title: 'AGENT', of: ({ agent }) => agent.id, keep: true },
              { title: 'NAME', of: ({ agent }) => agent.name ?? '', cut: true },
              { title: 'PARENT', of: ({ agent }) => agent.parent ?? '' },
              { title: 'GROUPS', of: ({ agent }) => (agent.groups ?? []).join(', '), cut: true },
            ],
            empty: 'no agent is registered that fits',
          },
        );
      }),
    );
}

type Status = Pick<Agent, 'agentId' | 'killed' | 'status'> & { nearest: string | null };

function showCommand(agents: Command, run: RunCommand): void {
  agents
    .command('show')
    .description('Shows the document of an agent, and what stops the agent. Scope audit.')
    .argument('<agent>', 'the id of the agent', someText)
    .addHelpText('after', '\nExample:\n  mandate agents show researcher')
    .action((id: string) =>
      run(async (context) => {
        const api = connect(context);
        const path = `/v1/agents/${encodeURIComponent(id)}`;
        const { agentId, killed, status, nearest } = await api.get<Status>(`${path}/kill-status`);
        const meant = nearest === null ? '' : ` The nearest known name is ${nearest}.`;
        if (status === null && killed === null)
          throw new WrongUse(`no agent ${id} is registered`, `\`mandate agents list\` lists agents.${meant}`);
        const found = await nullIf('AGENT_NOT_FOUND', api.get<{ agent: AgentDocument }>(path));
        const agent = found?.agent ?? null;
        return showAnswer(context, { agentId, status, killed, agent }, () => {
          const state =
            killed === null ? (status ?? 'unknown') : `killed (${killed.scope}): ${killed.reason}`;
          return printableLines(stringify({ ...(agent ?? { id }), state }, { lineWidth: 0 }));
        });
      }),
    );
}

type Registered = { agent: AgentDocument; key: IssuedKey | null; widens: readonly string[] | null };
type RegisterOptions = DryRun & {
  name?: string;
  groups?: string[];
  labels?: readonly [string, string][];
  parent?: string;
  report: boolean;
  reason?: string;
};

function registerCommand(agents: Command, run: RunCommand): void {
  withDryRun(agents.command('register'))
    .description('Registers an agent, and prints its first key once. Scope author.')
    .argument('<agent>', 'the id of the agent', someText)
    .option('--name <text>', 'a name for people', someText)
    .option('--groups <group...>', 'the groups of the agent, which rules can ask for')
    .option('--labels <name=value...>', 'labels of the agent, which rules can ask for', label)
    .option('--parent <agent>', 'the parent of the agent, if it is a sub-agent', someText)
    .option('--no-report', 'the key may not report outcomes')
    .option('--reason <text>', 'why; kept on the record', someText)
    .addHelpText(
      'after',
      `
\`mandate apply\` registers and changes agents from files.

Examples:
  mandate agents register researcher --groups research
  mandate agents register bot-7 --labels tier=gold --parent researcher`,
    )
    .action((id: string, { report, reason, dryRun, labels, ...agent }: RegisterOptions) =>
      run(async (context) => {
        const body = { id, ...agent, ...(labels && { labels: Object.fromEntries(labels) }) };
        const query = { reason, report, dryRun };
        const registered = await connect(context).post<Registered>('/v1/agents', body, { query });
        if (dryRun) return showDryRun(context, registered);
        await showKey(registered, `registered ${id}; its key`, context);
        const wider = context.json ? [] : widerLines(registered.widens ?? [], context.stderr);
        for (const line of wider) await write(context.stderr, `${line}\n`);
        return 0;
      }),
    );
}

function label(text: string, before: readonly [string, string][] = []): readonly [string, string][] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [...before, [name, value]];
  throw new InvalidArgumentError('Give name=value, such as tier=gold.');
}
