import { readControlFiles } from '@mandate/documents';
import {
  type AgentDocument,
  durationInWords,
  formatMicros,
  type Limit,
  type MandateReference,
  type MatchedRule,
  type Obligations,
  OPEN_CALLS,
  rulesInWords,
  rulesThatGave,
  UNIT_NAMES,
} from '@mandate/schemas';
import type { Command } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import type { ExitCode } from '../exit-codes.ts';
import { type ManifestFlags, manifestOptions, withManifests } from '../input/manifest-options.ts';
import { mustExclude, type NamedAction, namedAction } from '../input/named-action.ts';
import { cost, jsonObject, momentBefore, someText } from '../input/option-values.ts';
import { printable } from '../output/printable.ts';
import { paint, table } from '../output/table.ts';
import { showAnswer } from '../output/write.ts';

type Options = ManifestFlags &
  NamedAction & {
    store?: string;
    category?: string;
    principal?: string;
    role?: string;
    context?: object;
    at?: string;
    file?: readonly string[];
  };

type Planned = {
  mandate: MandateReference | null;
  refusal: { code: string; reason: string; remedy: string } | null;
  observe: boolean;
  reserveMicros: number;
  limits: readonly Limit[];
  /** Absent: the plane has an older version. */
  obligations?: Obligations;
};
type Preview = Planned & {
  matchedRules: readonly (MatchedRule & { agent?: string; claims?: readonly string[] })[];
  near: readonly Near[];
  /** Only of an operation on memory. */
  categories?: readonly CategoryPolicy[];
  shadow: Planned | null;
};
type Said = { value: string | number | boolean | null; from: string | null };
type CategoryPolicy = Record<'policy' | 'store' | 'category', string> & {
  permissions: Record<'create' | 'update' | 'delete', Said>;
} & Record<'defaultTtl' | 'maxContentLength' | 'subcategoryCreation', Said>;
type Near = { rule: string; mode: string; why: string };
type IssuePreview = {
  grant: { expiresAt: string } | null;
  refusal: Planned['refusal'];
  matchedRules: readonly MatchedRule[];
  openRules: readonly MatchedRule[];
  near: readonly Near[];
};

export function previewCommand(command: Command, run: RunCommand): void {
  withManifests(command)
    .description(
      'Shows what would be decided on an action, and why: the rules that match, the rules that nearly match, and the ' +
        'limits. With --store: what may be done in a category of memories, and which category says so. With the agent ' +
        'alone: what a grant to the agent would be made of. Nothing is published, changed or charged. What was spent ' +
        'does not count. Scope audit or author.',
    )
    .argument('<agent>', 'the agent that would act', someText)
    .option('--tool <name>', 'the tool that it would call', someText)
    .option('--prompt <text>', 'the prompt of a user, instead of a tool', someText)
    .option('--action <json>', 'an action of any kind, instead of a tool', jsonObject)
    .option('--store <name>', 'a store of memories, instead of a tool', someText)
    .option('--category <path>', 'a category in the store (default the whole store)', someText)
    .option('--role <role>', 'the role of the person for whom it would act', someText)
    .option('--principal <id>', 'the id of that person', someText)
    .option('--args <json>', 'the arguments of the call', jsonObject)
    .option('--cost <dollars>', 'the estimated cost of the call: 0.40', cost)
    .option('--context <json>', 'the context of the call, for rules', jsonObject)
    .option('--at <time>', 'the time of the call (default now)', momentBefore(Date.now))
    .option('-f, --file <path...>', 'agents, policies and rules to use instead, as for apply')
    .addHelpText(
      'after',
      `
Exit code 3 if the call would be refused, or no grant issued.

Examples:
  mandate preview airline-007 --context '{"environment": "prod"}'
  mandate preview airline-007 --tool send_certificate --cost 0.40
  mandate preview airline-007 --tool send_certificate -f policies/
  mandate preview tutor --prompt 'make me flashcards' --role user -f tutor/
  mandate preview tutor --action '{"type": "memory_read"}' --role user
  mandate preview tutor --store notes --category /standup -f tutor/`,
    )
    .action((agent: string, options: Options) => run((context) => preview(agent, options, context)));
}

async function preview(agentId: string, options: Options, context: CommandContext): Promise<ExitCode> {
  mustExclude(options, ['tool', 'prompt', 'action', 'store']);
  const { at, store, context: actsIn } = options;
  const { stdout } = context;
  const action = store === undefined ? namedAction(options) : operationIn(store, options.category);
  const acts = { id: 'preview', agentId, ...principalOf(options), context: actsIn };
  const asked = action === null ? { agentId, context: actsIn } : { action: { ...acts, ...action } };
  const body = { ...asked, ...thoughtOf(agentId, options), at };
  const shown = await connect(context).post<Preview | IssuePreview>('/v1/mandates/preview', body);
  if (store !== undefined && 'categories' in shown) {
    const { categories = [] } = shown;
    return showAnswer(context, { categories }, () => textOfCategories(categories, stdout));
  }
  await showAnswer(context, shown, () =>
    'openRules' in shown
      ? textOfIssue(shown, agentId, stdout)
      : textOf(shown, `${agentId} ${toolOrType(action)}`, stdout),
  );
  return shown.refusal === null || ('observe' in shown && shown.observe) ? 0 : 3;
}

/**
 * Returns an operation in the category. The preview of any operation shows the policy of its category, and this
 * operation needs no other fields.
 */
function operationIn(store: string, category = '/'): object {
  const inStore = { type: 'memory_operation', operation: 'prune', store };
  return category === '/' ? inStore : { ...inStore, category };
}

function toolOrType(action: object | null): string {
  const { tool, type }: { tool?: unknown; type?: unknown } = action ?? {};
  return String(tool ?? type);
}

function thoughtOf(agentId: string, { file: files, ...flags }: Options): object {
  if (files === undefined) return {};
  const { agents, policies, rules } = readControlFiles(files, undefined, manifestOptions(flags));
  const ancestors = ancestorsIn(agents, agentId);
  // A plane of an older version knows no planned ancestors.
  const planned = ancestors.length > 0 ? { ancestors } : {};
  return {
    agent: agents.get(agentId),
    ...planned,
    policies: [...policies.values()],
    rules: [...rules.values()],
  };
}

/** Returns the ancestors that the files contain, the nearest first. */
function ancestorsIn(agents: ReadonlyMap<string, AgentDocument>, agentId: string): AgentDocument[] {
  const ancestors = new Set<AgentDocument>();
  let next = agents.get(agents.get(agentId)?.parent ?? '');
  // A circle of parents is not followed.
  while (next !== undefined && !ancestors.has(next)) {
    ancestors.add(next);
    next = agents.get(next.parent ?? '');
  }
  return [...ancestors];
}

function principalOf({ principal: id, role }: Options): object {
  if (id === undefined && role === undefined) return {};
  return { principal: { id: id ?? 'preview', ...(role !== undefined && { role }) } };
}

function textOf({ near, matchedRules, shadow, ...planned }: Preview, what: string, stream: Stream): string {
  const { refusal, limits, reserveMicros, mandate, obligations = {} } = planned;
  const lines = [
    `${printable(what)}: ${verdictOf(planned, stream)}`,
    ...inWords(refusal),
    ...(refusal === null ? [`  reserves ${formatMicros(reserveMicros)}`] : []),
    ...limits.flatMap((limit) => limitInWords(limit, mandate)).map((words) => `  ${printable(words)}`),
    ...Object.entries(obligations).map(
      ([name, duty]) => `  obliges to ${printable(name)}: ${printable(JSON.stringify(duty))}`,
    ),
    ...(shadow === null ? [] : [`were the shadow rules in force: ${verdictOf(shadow, stream)}`]),
  ];
  const rows = matchedRules.map(({ policy, agent: of = '', claims = [], ...rule }) => {
    const claimed = `, by ${claims.join(', ')}: the caller's claim, unless a key pins it`;
    return { ...rule, said: claims.length === 0 ? policy : policy + claimed, of };
  });
  return `${lines.join('\n')}\n${tableOf([...rows, ...rowsOf(near)], stream)}`;
}

function textOfCategories(categories: readonly CategoryPolicy[], stream: Stream): string {
  if (categories.length === 0) return 'no policy of the agent knows this store: every operation is refused\n';
  return categories
    .map(({ policy, store, category, permissions, defaultTtl, maxContentLength, subcategoryCreation }) => {
      const fields = { defaultTtl, maxContentLength, ...permissions, subcategoryCreation };
      const rows = Object.entries(fields).map(([field, said]) => ({ field, ...said }));
      const columns = [
        { title: 'FIELD', of: ({ field }: SaidOf) => field },
        { title: 'VALUE', of: ({ value }: SaidOf) => String(value ?? 'no limit') },
        { title: 'SAID BY', of: ({ from }: SaidOf) => from ?? 'the default' },
      ];
      return `${printable(`${store} ${category}`)} (${printable(policy)})\n${table(rows, columns, stream)}`;
    })
    .join('\n');
}

type SaidOf = Said & { field: string };

function textOfIssue(
  { grant, refusal, matchedRules, openRules, near }: IssuePreview,
  agentId: string,
  stream: Stream,
): string {
  const verdict =
    grant === null
      ? paint('red', `no grant: ${refusal?.code}`, stream)
      : paint('green', `a grant until ${grant.expiresAt}`, stream);
  const rows = [
    ...matchedRules.map(({ policy, ...rule }) => ({ ...rule, said: policy, of: '' })),
    ...openRules.map((rule) => ({
      ...rule,
      said: `${rule.policy}, for actions that meet its condition`,
      of: '',
    })),
  ];
  const lines = [`${printable(agentId)}: ${verdict}`, ...inWords(refusal)];
  return `${lines.join('\n')}\n${tableOf([...rows, ...rowsOf(near)], stream)}`;
}

function inWords(refusal: Planned['refusal']): string[] {
  return refusal === null ? [] : [refusal.reason, refusal.remedy].map((text) => `  ${printable(text)}`);
}

function rowsOf(near: readonly Near[]): Row[] {
  return near.map(({ rule, mode, why }) => ({ rule, mode, said: `does not match: ${why}`, of: '' }));
}

function tableOf(rows: readonly Row[], stream: Stream): string {
  const columns = [
    { title: 'RULE', of: ({ rule }: Row) => rule },
    { title: 'MODE', of: ({ mode }: Row) => mode },
    { title: 'OF', of: ({ of }: Row) => of },
    { title: 'POLICY', of: ({ said }: Row) => said },
  ];
  return rows.length === 0 ? '' : table(rows, columns, stream);
}

type Stream = CommandContext['stdout'];
type Row = { rule: string; mode: string; said: string; of: string };

function verdictOf({ refusal, observe, limits }: Planned, stream: Stream): string {
  if (refusal !== null && !observe) return paint('red', `BLOCK ${refusal.code}`, stream);
  if (refusal !== null) return paint('yellow', `ALLOW, observed: BLOCK ${refusal.code}`, stream);
  if (limits.some(({ kind }) => kind === 'confirmation')) return paint('yellow', 'DEFER', stream);
  return paint('green', 'ALLOW, as far as its limits go', stream);
}

/** Returns one limit in words. Empty for a budget that only counts and has no limit. */
function limitInWords(limit: Limit, mandate: Planned['mandate']): string[] {
  const by = whose(limit, rulesThatGave(limit.policy, mandate));
  switch (limit.kind) {
    case 'budget': {
      const { scope, id, windowMs, maxMicros, otherLimits } = limit;
      if (maxMicros === null) return [];
      const within = windowMs === null ? '' : ` in ${durationInWords(windowMs)}`;
      const others = otherLimits?.map((one) => `${formatMicros(one.maxMicros)}${whose(one)}`);
      return [`${scope} budget "${id}": ${formatMicros(maxMicros)}${within}${by}${besides(others)}`];
    }
    case 'tokens':
    case 'toolCalls': {
      const { kind, scope, id, windowMs, most, otherLimits } = limit;
      const { noun } = UNIT_NAMES[kind];
      const within = windowMs === null ? '' : ` in ${durationInWords(windowMs)}`;
      const others = otherLimits?.map((one) => `${one.most} ${noun}${whose(one)}`);
      return [`${scope} limit "${id}": ${most} ${noun}${within}${by}${besides(others)}`];
    }
    case 'rate': {
      const { tool, maxCalls, windowMs, otherLimits } = limit;
      const others = otherLimits?.map((one) => `${one.maxCalls}${whose(one)}`);
      if (tool === OPEN_CALLS) return [`calls without an outcome: ${maxCalls}${by}${besides(others)}`];
      return [`${tool ?? 'all'} calls: ${maxCalls} in ${durationInWords(windowMs)}${by}${besides(others)}`];
    }
    case 'turn':
      return [`the call must belong to a turn that allows it${by}`];
    case 'confirmation':
      return [`a person is asked${by}${besides(limit.otherLimits?.map((one) => whose(one).trim()))}`];
  }
}

/**
 * Returns the policy of a limit and the rules that gave the limit. An ancestor's policy has the ancestor in its name.
 */
function whose({ policy }: { policy?: string | undefined }, rules: readonly string[] = []): string {
  if (policy === undefined) return '';
  return ` (${policy}${rules.length === 0 ? '' : ` by ${rulesInWords(rules)}`})`;
}

/** Returns the other limits on the same counter. No other limit is stricter than this limit. */
function besides(others: readonly string[] = []): string {
  return others.length === 0 ? '' : `; besides ${others.join(', ')}`;
}
