/** The filters of questions to the audit, as options of commands. */
import {
  ACTION_TYPES,
  AGO,
  CODES,
  DECISION_KINDS,
  SETTLEMENT_CODES,
  SHADOW_VERDICTS,
  VERDICTS,
} from '@mandate/schemas';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { dollars, momentBefore, someText, wholeNumber } from '../input/option-values.ts';

type Given = string | number | readonly string[];
export type Filters = Readonly<Partial<Record<FilterName, Given>>>;

type Filter = {
  flags: string;
  about: string;
  /** The name of the filter in requests, if it differs from the name of the option. */
  parameter?: string;
  choices?: readonly string[];
  /** Reads the value of a filter that is given once. Any other filter may be repeated. */
  once?: (text: string) => string | number;
};

/** A relative time such as `1h` is sent as it was typed, so that a view that refreshes always shows the last hour. */
const moment = (text: string) => {
  const at = momentBefore(Date.now)(text);
  return AGO.test(text) ? text : at;
};

const INTERVALS = ['5m', '15m', '1h', '6h', '1d', '1w', '1mo'];
export const DIMENSIONS = [
  ...['agent', 'tool', 'model', 'provider', 'type', 'verdict', 'code', 'observedCode', 'principal', 'role'],
  ...['mandate', 'policy'],
];

const many = (flags: string, about: string, choices?: readonly string[]): Filter => ({
  flags,
  about,
  ...(choices && { choices }),
});
const one = (flags: string, about: string, more: Omit<Filter, 'flags' | 'about'> = {}): Filter => ({
  flags,
  about,
  once: someText,
  ...more,
});

const amount = (flags: string, about: string, parameter: string) =>
  one(flags, about, { parameter, once: dollars });

/** The filters by the name that commander gives to their option. */
const FILTERS = {
  agent: many('--agent <id>', 'this agent; repeat the option for several'),
  tool: many('--tool <name>', 'calls of this tool'),
  model: many('--model <name>', 'calls of this model'),
  provider: many('--provider <name>', 'calls of models of this provider'),
  verdict: many('--verdict <verdict>', 'decisions with this verdict', VERDICTS),
  code: many('--code <code>', 'decisions or settlements with this code (docs/errors.md)', [
    ...CODES,
    ...SETTLEMENT_CODES,
  ]),
  observedCode: many(
    '--observed-code <code>',
    'the code that a mandate in observe mode would have given',
    CODES,
  ),
  shadow: many(
    '--shadow <verdict>',
    'the verdict that shadow rules would have given; `differs`: any other verdict than the given one',
    [...SHADOW_VERDICTS, 'differs'],
  ),
  type: many('--type <type>', 'actions of this type', ACTION_TYPES),
  kind: many('--kind <kind>', 'decisions of this kind', DECISION_KINDS),
  action: { ...many('--action <id>', 'this action'), parameter: 'actionId' },
  parentAction: many('--parent-action <id>', 'actions that name this one as their parent'),
  principal: many('--principal <id>', 'actions on behalf of this principal'),
  role: many('--role <role>', 'actions on behalf of principals with this role'),
  mandate: many('--mandate <id>', 'decided under this mandate'),
  policy: many('--policy <name>', 'decided under this policy, or a version of it (name@3)'),
  rule: many('--rule <name>', 'decided under a mandate that this rule gave'),
  trace: many('--trace <id>', 'decisions of this trace'),
  minCharged: amount('--min-charged <dollars>', 'charged at least this much: 0.40', 'minChargedMicros'),
  maxCharged: amount('--max-charged <dollars>', 'charged at most this much', 'maxChargedMicros'),
  text: one('--text <text>', 'text in the reason, or in names or values of the arguments'),
  event: many(
    '--event <event>',
    'control events of this name (policy.published), or decisions that a policy marks with it (memory_read)',
  ),
  madeBy: one('--made-by <who>', 'events of this name or key id', { parameter: 'by' }),
  reader: one('--reader <id>', 'reads with the API key of this id', { parameter: 'key' }),
  route: one('--route <route>', 'reads of this route: /v1/audit/decisions/:id'),
  notRoute: many('--not-route <route>', 'reads of other routes than this'),
  request: one('--request <id>', 'the request of this id (of a read: its x-request-id)', {
    parameter: 'requestId',
  }),
  error: many('--error <code>', 'builds that failed with this code (docs/context.md)'),
  skipReason: many('--skip-reason <reason>', 'builds that were skipped for this reason'),
  refused: one('--refused <whether>', 'whether the read was refused', { choices: ['true', 'false'] }),
  known: one('--known <whether>', 'whether the key of the read is known', { choices: ['true', 'false'] }),
  from: one('--from <time>', 'since this time: RFC 3339, a day, or 15m, 2h, 7d, 4w ago', { once: moment }),
  to: one('--to <time>', 'before this time', { once: moment }),
  groupBy: many('--group-by <field>', 'count each value of this field; up to three', DIMENSIONS),
  interval: one('--interval <length>', 'count in buckets of this length; needs --from', {
    choices: INTERVALS,
  }),
  timeZone: one('--time-zone <name>', 'where days begin: Europe/Berlin'),
  orderBy: one('--order-by <figure>', 'largest first: calls, spent, blocked, p99Ms …', {
    once: (text) => (text === 'spent' ? 'spentMicros' : someText(text)),
  }),
  by: one('--by <figure>', 'what moved', { choices: ['spend', 'calls', 'blocks'] }),
  nearMissAt: one('--near-miss-at <percent>', 'near a limit from this percentage on', {
    once: wholeNumber({ min: 1, max: 100 }),
  }),
  scope: one('--scope <scope>', 'budgets of this scope', {
    choices: ['agent', 'principal', 'mandate', 'tenant'],
  }),
  subject: one('--subject <id>', 'the subject of the budget or the event'),
  budget: one('--budget <id>', 'budgets of this id'),
} satisfies Record<string, Filter>;

export type FilterName = keyof typeof FILTERS;

/** The names of the filters of a search. The time range is left out. */
export const SEARCHED_FOR = [
  ...['agent', 'tool', 'model', 'provider', 'verdict', 'code', 'observedCode', 'shadow', 'type', 'kind'],
  ...['action', 'parentAction', 'principal', 'role', 'mandate', 'policy', 'rule', 'trace', 'minCharged'],
  ...['maxCharged', 'text', 'event'],
] as const satisfies readonly FilterName[];
export const SEARCHED = [...SEARCHED_FOR, 'from', 'to'] as const;

export function withFilters(command: Command, names: readonly FilterName[]): Command {
  return names.reduce((all, name) => all.addOption(optionFor(FILTERS[name])), command);
}

function optionFor({ flags, about, choices, once }: Filter): Option {
  const option = new Option(flags, about);
  if (choices !== undefined) option.choices(choices);
  const read = (text: string) => {
    if (choices !== undefined && !choices.includes(text)) {
      throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
    }
    return once === undefined ? someText(text) : once(text);
  };
  return option.argParser<unknown>((text, before) =>
    once === undefined ? [...(Array.isArray(before) ? before : []), read(text)] : read(text),
  );
}

/** Returns the filters as query parameters. `named` has the filters that this question calls by another name. */
export function parametersOf(
  filters: Filters,
  named: Readonly<Partial<Record<FilterName, string>>> = {},
): Readonly<Record<string, Given>> {
  const entries = Object.entries(filters) as [FilterName, Given][];
  return Object.fromEntries(
    entries.map(([name, value]) => {
      const { parameter = name }: Filter = FILTERS[name];
      return [named[name] ?? parameter, value];
    }),
  );
}

export function filtersIn(options: Readonly<Record<string, unknown>>): Filters {
  const given = Object.entries(options).filter(([name]) => Object.hasOwn(FILTERS, name));
  return Object.fromEntries(given);
}
