/** The filters of questions to the audit, as options of the command. */
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
export type Filters = Readonly<Record<string, Given>>;

type Filter = {
  /** As commander calls what was given. */
  name: string;
  flags: string;
  about: string;
  /** As the plane calls it; the same name, where nothing is said. */
  parameter?: string;
  choices?: readonly string[];
  /** For a filter that is given once; others may be repeated and match any of their values. */
  once?: (text: string) => string | number;
};

/** `1h` is sent as it was written, so that a view that refreshes always shows the last hour. */
const moment = (text: string) => {
  const at = momentBefore(Date.now)(text);
  return AGO.test(text) ? text : at;
};

const INTERVALS = ['5m', '15m', '1h', '6h', '1d', '1w', '1mo'];
export const DIMENSIONS = [
  'agent',
  'tool',
  'model',
  'provider',
  'type',
  'verdict',
  'code',
  'observedCode',
  'principal',
  'role',
  'mandate',
  'policy',
];

const FILTERS: readonly Filter[] = [
  {
    name: 'agent',
    flags: '--agent <id>',
    about: 'of this agent; like all that name something: or of another',
  },
  { name: 'tool', flags: '--tool <name>', about: 'of this tool' },
  { name: 'model', flags: '--model <name>', about: 'of this model' },
  { name: 'provider', flags: '--provider <name>', about: 'of models of this provider' },
  { name: 'verdict', flags: '--verdict <verdict>', about: 'decisions that said so', choices: VERDICTS },
  {
    name: 'code',
    flags: '--code <code>',
    about: 'decisions for this reason, or settlements with this mark',
    choices: [...CODES, ...SETTLEMENT_CODES],
  },
  {
    name: 'observedCode',
    flags: '--observed-code <code>',
    about: 'what a mandate that only observes would have said',
    choices: CODES,
  },
  {
    name: 'shadow',
    flags: '--shadow <verdict>',
    about: 'what rules in shadow would have said; differs: another verdict than the one that fell',
    choices: [...SHADOW_VERDICTS, 'differs'],
  },
  { name: 'type', flags: '--type <type>', about: 'of actions', choices: ACTION_TYPES },
  { name: 'kind', flags: '--kind <kind>', about: 'of decisions', choices: DECISION_KINDS },
  { name: 'action', flags: '--action <id>', about: 'of this action', parameter: 'actionId' },
  { name: 'parentAction', flags: '--parent-action <id>', about: 'of actions that name this one as parent' },
  { name: 'principal', flags: '--principal <id>', about: 'on behalf of this principal' },
  { name: 'role', flags: '--role <role>', about: 'of the principal' },
  { name: 'mandate', flags: '--mandate <id>', about: 'decided under this mandate' },
  {
    name: 'policy',
    flags: '--policy <name>',
    about: 'decided under this policy, or a version of it (name@3)',
  },
  { name: 'rule', flags: '--rule <name>', about: 'by which the mandate came to apply' },
  { name: 'trace', flags: '--trace <id>', about: 'of this trace' },
  {
    name: 'minCharged',
    flags: '--min-charged <dollars>',
    about: 'charged at least so much',
    parameter: 'minChargedMicros',
    once: dollars,
  },
  {
    name: 'maxCharged',
    flags: '--max-charged <dollars>',
    about: 'charged at most so much',
    parameter: 'maxChargedMicros',
    once: dollars,
  },
  {
    name: 'text',
    flags: '--text <text>',
    about: 'in the reason, or in a name or a value of the arguments; case does not matter',
    once: someText,
  },
  {
    name: 'event',
    flags: '--event <event>',
    about: 'control events of this name, such as agent.killed or policy.published',
    once: someText,
  },
  {
    name: 'madeBy',
    flags: '--made-by <who>',
    about: 'control events by whoever has this name, or a key of this id',
    parameter: 'by',
    once: someText,
  },
  {
    name: 'reader',
    flags: '--reader <id>',
    about: 'reads by the API key of this id',
    parameter: 'key',
    once: someText,
  },
  {
    name: 'route',
    flags: '--route <route>',
    about: 'reads of this route, such as /v1/audit/decisions/:id',
    once: someText,
  },
  {
    name: 'request',
    flags: '--request <id>',
    about: 'reads of the request with this x-request-id',
    parameter: 'requestId',
    once: someText,
  },
  {
    name: 'refused',
    flags: '--refused <whether>',
    about: 'true: reads that were refused; false: the others',
    choices: ['true', 'false'],
    once: someText,
  },
  {
    name: 'known',
    flags: '--known <whether>',
    about: 'false: reads with no key that anybody ever had, for whoever runs the plane',
    choices: ['true', 'false'],
    once: someText,
  },
  {
    name: 'from',
    flags: '--from <time>',
    about: 'RFC 3339, a day, or how long ago: 15m, 2h, 7d, 4w',
    once: moment,
  },
  { name: 'to', flags: '--to <time>', about: 'likewise; not included', once: moment },
  {
    name: 'groupBy',
    flags: '--group-by <dimension>',
    about: 'of analytics and movers; up to three',
    choices: DIMENSIONS,
  },
  {
    name: 'interval',
    flags: '--interval <length>',
    about: 'of analytics: bucket by bucket, with --from',
    choices: INTERVALS,
    once: someText,
  },
  {
    name: 'timeZone',
    flags: '--time-zone <name>',
    about: 'on whose clock buckets begin, such as Europe/Berlin',
    once: someText,
  },
  {
    name: 'orderBy',
    flags: '--order-by <figure>',
    about: 'of analytics: calls, spentMicros, blocked, p99Ms and so on',
    once: someText,
  },
  {
    name: 'by',
    flags: '--by <figure>',
    about: 'of movers: what moved',
    choices: ['spend', 'calls', 'blocks'],
    once: someText,
  },
  {
    name: 'nearMissAt',
    flags: '--near-miss-at <percent>',
    about: 'of a limit, from where on it is near',
    once: wholeNumber({ min: 1, max: 100 }),
  },
  {
    name: 'scope',
    flags: '--scope <scope>',
    about: 'of budgets',
    choices: ['agent', 'principal', 'mandate', 'tenant'],
    once: someText,
  },
  {
    name: 'subject',
    flags: '--subject <id>',
    about: 'whose budgets; of control events: what was changed',
    once: someText,
  },
  { name: 'budget', flags: '--budget <id>', about: 'the budgets of this id', once: someText },
];

const BY_NAME: ReadonlyMap<string, Filter> = new Map(FILTERS.map((filter) => [filter.name, filter]));

export const SEARCHED = [
  'agent',
  'tool',
  'model',
  'provider',
  'verdict',
  'code',
  'observedCode',
  'shadow',
  'type',
  'kind',
  'action',
  'parentAction',
  'principal',
  'role',
  'mandate',
  'policy',
  'rule',
  'trace',
  'minCharged',
  'maxCharged',
  'text',
  'from',
  'to',
];

/** @param names of the filters; all there are, where nothing is said */
export function withFilters(command: Command, names?: readonly string[]): Command {
  const filters = FILTERS.filter(({ name }) => names?.includes(name) ?? true);
  return filters.reduce((all, filter) => all.addOption(optionFor(filter)), command);
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

/** What was given, as the plane takes it. `named`: where a question has another name for one. */
export function parametersOf(
  filters: Filters,
  named: Readonly<Record<string, string>> = {},
): Readonly<Record<string, Given>> {
  return Object.fromEntries(
    Object.entries(filters).map(([name, value]) => [
      named[name] ?? BY_NAME.get(name)?.parameter ?? name,
      value,
    ]),
  );
}

/** What of the options narrows a question. */
export function filtersIn(options: Readonly<Record<string, unknown>>): Filters {
  const given = Object.entries(options).filter(([name]) => BY_NAME.has(name));
  return Object.fromEntries(given) as Filters;
}

export function flagOf(name: string): string {
  return BY_NAME.get(name)?.flags.split(' ')[0] ?? `--${name}`;
}
