/** Who spent what, by day and by agent, tool, model, person or policy; what changed; and which budgets end soon. */
import type { Analytics, BudgetFound, Mover } from '@mandate/query';
import { Link } from '@tanstack/react-router';
import { withQuery } from '../data/api.ts';
import { command } from '../data/command.ts';
import { dollars, shortDollars } from '../data/money.ts';
import { counted } from '../data/numbers.ts';
import { useParameters } from '../data/parameters.ts';
import { type Period, periodInWords, periodOf } from '../data/period.ts';
import { useRead } from '../data/read.ts';
import { bucketStart, wholeTime, zone } from '../data/time.ts';
import { AgentLink } from '../parts/agent-link.tsx';
import { Meter, StackedBars } from '../parts/chart.tsx';
import { Figures } from '../parts/figures.tsx';
import { Money } from '../parts/money.tsx';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/problem.tsx';
import { Read } from '../parts/read.tsx';
import {
  ChoiceFilter,
  intervalOf,
  PERIODS,
  PeriodFilter,
  SearchForm,
  TextFilter,
} from '../parts/search-form.tsx';
import { Section } from '../parts/section.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { When } from '../parts/when.tsx';

const BY = [
  ['agent', 'agent'],
  ['tool', 'tool'],
  ['model', 'model'],
  ['principal', 'principal'],
  ['policy', 'policy'],
  ['provider', 'provider'],
] as const;

/** The number of groups that the chart shows separately. The others are shown as one group. */
const GROUPS = 5;
/** The number of groups that the table lists. */
const LISTED = 100;

export function Spend() {
  const search = useParameters();
  const { by = 'agent', from = '7d', to, agent, tool, model } = search;
  const narrowed = { from, to, agent, tool, model };
  const interval = intervalOf(from);
  const whole = useRead<Analytics>(withQuery('/v1/audit/analytics', { ...narrowed, timeZone: zone() }));
  // The answer with the total states the time of the plane. All other requests ask for exactly the same period, so that
  // the parts add up to the total.
  const asOf = whole.isPlaceholderData ? undefined : whole.data?.asOf;
  const period = asOf === undefined ? null : periodOf(from, to, Date.parse(asOf));
  const exact = period === null ? null : { ...narrowed, ...timesOf(period) };
  const common = { groupBy: by, orderBy: 'spentMicros', timeZone: zone() };
  const path = withQuery('/v1/audit/analytics', { ...narrowed, ...common, limit: LISTED });
  const ask = (route: string, parameters: Parameters<typeof withQuery>[1]) =>
    exact === null ? null : withQuery(route, { ...exact, ...parameters });
  const line = useRead<Analytics>(ask('/v1/audit/analytics', { ...common, interval, limit: GROUPS }));
  const listed = useRead<Analytics>(ask('/v1/audit/analytics', { ...common, limit: LISTED }));
  const movers = useRead<{ movers: Mover[]; before: Times; now: Times }>(
    ask('/v1/audit/analytics/movers', { groupBy: by, limit: 10 }),
  );
  const budgets = useRead<{ budgets: BudgetFound[]; asOf: string }>('/v1/audit/analytics/budgets?limit=10');
  const inWords = period === null ? '' : periodInWords(period);
  const cli = command('analytics groups', {
    ...narrowed,
    ...{ 'group-by': by, 'order-by': 'spent', limit: String(LISTED) },
  });
  return (
    <Page
      heading="Spend"
      question={`Who spent what. Days begin at midnight in ${zone()}. A period includes its beginning and excludes its end.`}
      same={{ cli, path }}
    >
      <SearchForm to="/spend">
        <ChoiceFilter name="by" label="By" choices={BY} />
        <PeriodFilter choices={[PERIODS[2], PERIODS[0], PERIODS[1], PERIODS[3], PERIODS[4]]} />
        <TextFilter name="agent" label="Agent" field="agent" />
        <TextFilter name="tool" label="Tool" field="tool" />
        <TextFilter name="model" label="Model" field="model" />
      </SearchForm>
      <Read of={whole} what="the sum">
        {({ groups: [sum] }) =>
          sum === undefined ? null : (
            <section className="stack" aria-label="The whole period">
              <Figures
                of={[
                  [dollars(sum.spentMicros), 'spent in the period'],
                  [counted(sum.calls), 'decisions in the period'],
                  [counted(sum.blocked), 'blocked in the period'],
                ]}
              />
              <p className="quiet">{inWords}</p>
            </section>
          )
        }
      </Read>
      {whole.error === null && (
        <>
          <Section heading={`By ${interval === '1d' ? 'day' : 'time'} and ${by}`} isPanel>
            <Read of={line} what="the chart">
              {(told) => <Line told={told} by={by} interval={interval} />}
            </Read>
          </Section>
          <Section heading={`By ${by}`}>
            <Read of={listed} what="the sums">
              {({ groups, others }) => (
                <Table
                  label={`Spend by ${by}`}
                  columns={groupColumns(by, from)}
                  rows={[
                    ...groups,
                    ...(others === null ? [] : [others]),
                    ...(groups.length === 0 ? [] : totalOf(whole.data)),
                  ]}
                  nameOf={(row) =>
                    'isTotal' in row ? 'the whole' : 'group' in row ? nameOf(row, by) : 'others'
                  }
                  empty="Nothing was decided in this period. Choose a longer one."
                />
              )}
            </Read>
            {by === 'policy' && (
              <p className="quiet">
                A decision under two policies counts under each, so these are more than the whole period.
              </p>
            )}
          </Section>
          <div className="columns">
            <Section heading="Budgets nearest to their end">
              <Read of={budgets} what="budgets">
                {({ budgets: found, asOf: at }) => (
                  <>
                    <p className="quiet">
                      Until {wholeTime(Date.parse(at)).slice(0, -7)}, {zone()}. The rate is that of the last
                      day.
                    </p>
                    <Budgets budgets={found} />
                  </>
                )}
              </Read>
            </Section>
            <Section heading="Changed most since the period before">
              <Read of={movers} what="changes">
                {({ movers: found, before }) => (
                  <>
                    <p className="quiet">
                      Compared with{' '}
                      {periodInWords({ fromMs: Date.parse(before.from), toMs: Date.parse(before.to) })}
                    </p>
                    <Table
                      label="Changes since the period before"
                      columns={[
                        {
                          head: capital(by),
                          isHead: true,
                          cell: ({ group }) => nameCell({ group }, by),
                        },
                        { head: 'Before', look: 'number', cell: ({ before }) => <Money micros={before} /> },
                        { head: 'Now', look: 'number', cell: ({ now }) => <Money micros={now} /> },
                        {
                          head: 'Difference',
                          look: 'number',
                          cell: ({ difference }) => <Money micros={difference} />,
                        },
                      ]}
                      rows={found}
                      nameOf={({ group }) => JSON.stringify(group)}
                      empty="Nothing changed."
                    />
                  </>
                )}
              </Read>
            </Section>
          </div>
        </>
      )}
    </Page>
  );
}

type Group = Analytics['groups'][number];
type Others = NonNullable<Analytics['others']>;
type Total = Group & { isTotal: true };
type Times = { from: string; to: string };

function timesOf({ fromMs, toMs }: Period): Times {
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
}

/** The plane computed this total. It is not summed here. */
function totalOf(whole: Analytics | undefined): Total[] {
  return whole?.groups[0] === undefined ? [] : [{ ...whole.groups[0], isTotal: true }];
}

function groupColumns(by: string, from: string): readonly Column<Group | Others | Total>[] {
  return [
    {
      head: capital(by),
      isHead: true,
      cell: (row) => {
        if ('isTotal' in row) return <strong>The whole period</strong>;
        if (!('group' in row)) return `${counted(row.groups)} others`;
        return nameCell(row, by);
      },
    },
    { head: 'Spent', look: 'number', cell: ({ spentMicros }) => <Money micros={spentMicros} /> },
    { head: 'Decisions', look: 'number', cell: ({ calls }) => counted(calls) },
    { head: 'Blocked', look: 'number', cell: ({ blocked }) => counted(blocked) },
    {
      head: 'Last',
      cell: (row) => 'group' in row && row.lastDecidedAt !== null && <When at={row.lastDecidedAt} />,
    },
    {
      head: 'Who allowed it',
      cell: (row) =>
        'group' in row &&
        isNamed(row, by) && (
          <Link
            to="/decisions"
            search={{ [by]: nameOf(row, by), verdict: 'ALLOW', from }}
            aria-label={`Decisions that let ${nameOf(row, by)} spend`}
          >
            decisions
          </Link>
        ),
    },
  ];
}

/** The name of a group. The name of an agent is a link to its page. */
function nameCell(row: Pick<Group, 'group'>, by: string) {
  const name = nameOf(row, by);
  return by === 'agent' && isNamed(row, by) ? <AgentLink id={name} /> : name;
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function nameOf({ group }: Pick<Group, 'group'>, by: string): string {
  return (group as Record<string, string | null | undefined>)[by] ?? `no ${by}`;
}

function isNamed({ group }: Pick<Group, 'group'>, by: string): boolean {
  return typeof (group as Record<string, string | null | undefined>)[by] === 'string';
}

function Line({ told, by, interval }: { told: Analytics; by: string; interval: string }) {
  const [first] = told.groups;
  if (first?.buckets === undefined) return <Empty>Nothing was decided in this period.</Empty>;
  const places = first.buckets.map(({ start }) => bucketStart(start, interval));
  const series = told.groups.map((group) => ({
    name: nameOf(group, by),
    values: group.buckets?.map(({ spentMicros }) => spentMicros) ?? [],
  }));
  if (told.others?.buckets !== undefined) {
    series.push({ name: 'others', values: told.others.buckets.map(({ spentMicros }) => spentMicros) });
  }
  return (
    <StackedBars
      label={`Spend by time and ${by}`}
      places={places}
      series={series}
      exact={dollars}
      short={shortDollars}
    />
  );
}

const BUDGET_COLUMNS: readonly Column<BudgetFound>[] = [
  {
    head: 'Budget',
    isClear: true,
    look: 'wide',
    cell: ({ scope, subject, budgetId }) => `${scope} ${subject} «${budgetId}»`,
  },
  {
    head: 'Used',
    cell: ({ usedPercent }) => (
      <>
        {usedPercent ?? 0} %
        <Meter percent={usedPercent ?? 0} label={`${usedPercent ?? 0} % used`} />
      </>
    ),
  },
  {
    head: 'Left',
    look: 'number',
    cell: ({ leftMicros }) => leftMicros !== null && <Money micros={leftMicros} />,
  },
  {
    head: 'At this rate, ends',
    cell: ({ exhaustedAt, leftMicros }) => {
      if (leftMicros !== null && leftMicros <= 0) return 'used up';
      return exhaustedAt === null ? 'never' : <When at={exhaustedAt} />;
    },
  },
];

export function Budgets({
  budgets,
  empty = 'No decision has looked at a budget with a limit.',
}: {
  budgets: readonly BudgetFound[];
  empty?: string;
}) {
  const limited = budgets.filter(({ limitMicros }) => limitMicros !== null);
  return (
    <Table
      label="Budgets"
      columns={BUDGET_COLUMNS}
      rows={limited}
      nameOf={({ scope, subject, budgetId, windowMs }) => `${scope} ${subject} ${budgetId} ${windowMs}`}
      empty={empty}
    />
  );
}
