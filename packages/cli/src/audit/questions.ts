/** What the audit can be asked, and by what each question can be narrowed. */
import { CommandFailure } from '../command-context.ts';
import type { Presentation } from '../output/show-answer-rows.ts';

export type Filters = Partial<
  Record<'agent' | 'tool' | 'verdict' | 'code' | 'type' | 'kind' | 'action' | 'event' | 'from' | 'to', string>
>;

/**
 * `rows`: under which name the answer holds them. `paged`: newest first, as many as one wants; `ranked`: the first so
 * many of an order; `whole`: all there are.
 */
export type Question = {
  path: string;
  rows: string;
  kind: 'paged' | 'ranked' | 'whole';
  filters: readonly (keyof Filters)[];
  /** Filters that the plane knows by another name. */
  parameters?: Partial<Record<keyof Filters, string>>;
  presentation?: Presentation;
};

/** `settled` by itself reads as an amount that was paid; it is what settling changed. */
export const SPEND: Presentation = {
  titles: { charged: 'CHARGED', settled: 'SETTLED DIFFERENCE', spent: 'SPENT' },
  legend: 'spent = charged when allowed + difference when settled (negative: given back)',
};

const PERIOD = ['from', 'to'] as const;
const NARROWED = ['agent', 'tool', ...PERIOD] as const;

export const QUESTIONS: Readonly<Record<string, Question>> = {
  decisions: {
    path: 'decisions',
    rows: 'decisions',
    kind: 'paged',
    filters: [...NARROWED, 'action', 'verdict', 'code', 'type', 'kind'],
    parameters: { action: 'actionId' },
    presentation: {
      first: [
        'id',
        'verdict',
        'code',
        'agentId',
        'tool',
        'decidedAt',
        'charged',
        'actionId',
        'model',
        'reason',
      ],
    },
  },
  settlements: {
    path: 'settlements',
    rows: 'settlements',
    kind: 'paged',
    filters: ['agent', 'action', ...PERIOD],
    presentation: { first: ['actionId', 'agentId', 'code', 'delta', 'charged', 'settledAt'] },
  },
  'control-events': {
    path: 'control-events',
    rows: 'events',
    kind: 'paged',
    filters: ['agent', 'event', ...PERIOD],
  },
  spend: {
    path: 'analytics/spend',
    rows: 'agents',
    kind: 'ranked',
    filters: NARROWED,
    presentation: SPEND,
  },
  verdicts: { path: 'analytics/verdicts', rows: 'verdicts', kind: 'whole', filters: NARROWED },
  codes: { path: 'analytics/codes', rows: 'codes', kind: 'whole', filters: NARROWED },
  tools: { path: 'analytics/tools', rows: 'tools', kind: 'ranked', filters: NARROWED },
  agents: { path: 'analytics/agents', rows: 'agents', kind: 'ranked', filters: NARROWED },
};

/** The filters as the plane takes them. */
export function parametersOf(
  { parameters = {} }: Question,
  filters: Filters,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(filters).map(([name, value]) => [parameters[name as keyof Filters] ?? name, value]),
  );
}

/** What was given, all of which the question must know: what it would ignore in silence is a wrong use. */
export function mustKnow(name: string, known: readonly (keyof Filters)[], given: Filters): Filters {
  const unknown = Object.keys(given).filter((filter) => !known.some((other) => other === filter));
  if (unknown.length === 0) return given;
  const names = known.map((filter) => `--${filter}`).join(', ');
  throw new CommandFailure(
    2,
    `${name} cannot be narrowed by --${unknown.join(', --')}`,
    known.length === 0 ? undefined : `It knows ${names}.`,
  );
}
