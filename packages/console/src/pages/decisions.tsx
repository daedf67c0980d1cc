/** Finds decisions. The parameters of the address are the search. */
import type { Analytics, DecisionFound } from '@mandate/query';
import { useCallback, useState } from 'react';
import { withQuery } from '../data/api.ts';
import { command } from '../data/command.ts';
import type { LiveEvent } from '../data/live.ts';
import { dollars } from '../data/money.ts';
import { counted } from '../data/numbers.ts';
import { type Parameters, useParameters } from '../data/parameters.ts';
import { givenPeriodInWords } from '../data/period.ts';
import { useRead, useReadList } from '../data/read.ts';
import { bucketStart, zone } from '../data/time.ts';
import { StackedBars } from '../parts/chart.tsx';
import { ALL_DECISION_COLUMNS } from '../parts/decision-table.tsx';
import { LongTable } from '../parts/long-table.tsx';
import { Newer } from '../parts/newer.tsx';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/problem.tsx';
import { Read } from '../parts/read.tsx';
import { ChoiceFilter, intervalOf, PeriodFilter, SearchForm, TextFilter } from '../parts/search-form.tsx';

const PATH = '/v1/audit/decisions';

/** The parameters of the search, with the names that GET /v1/audit/decisions and the command line use. */
const FILTERS = {
  ...{ agent: 'agent', tool: 'tool', model: 'model', verdict: 'verdict', code: 'code', type: 'type' },
  ...{ principal: 'principal', policy: 'policy', rule: 'rule', actionId: 'action' },
  ...{ parentAction: 'parent-action', trace: 'trace', text: 'text', kind: 'kind', shadow: 'shadow' },
  ...{ from: 'from', to: 'to', minChargedMicros: 'min-charged', maxChargedMicros: 'max-charged' },
  cursor: 'cursor',
} as const;

const VERDICTS = [
  ['ALLOW', 'ALLOW'],
  ['BLOCK', 'BLOCK'],
  ['DEFER', 'DEFER'],
] as const;

/** The parameters that have a field in the form. */
const SHOWN: ReadonlySet<string> = new Set([
  ...['agent', 'tool', 'model', 'verdict', 'code', 'principal', 'policy', 'text', 'from', 'to', 'cursor'],
]);

/** False if the decision certainly does not match the search. */
function mayMatch(decision: DecisionFound, search: Parameters): boolean {
  const { agent, tool, model, verdict, code, principal } = search;
  const pairs = [
    [agent, decision.agentId],
    [tool, decision.tool],
    [model, decision.model],
    [verdict, decision.verdict],
    [code, decision.code],
    [principal, decision.principalId],
  ];
  return pairs.every(([wanted, is]) => wanted === undefined || wanted === is);
}

export function Decisions() {
  const search = useParameters();
  const given = Object.fromEntries(Object.keys(FILTERS).map((name) => [name, search[name]]));
  const path = withQuery(PATH, { ...given, limit: 50 });
  const found = useReadList<{ decisions: DecisionFound[]; next: string | null }>(PATH, given);
  const hidden = Object.keys(FILTERS).filter((name) => !SHOWN.has(name) && given[name] !== undefined);
  const isAbout = useCallback(
    (event: LiveEvent) => event.kind === 'decision' && mayMatch(event.data, search),
    [search],
  );
  const [isCounted, setCounted] = useState(false);
  const { from } = search;
  const options = Object.entries(FILTERS).map(([name, option]) => {
    const value = given[name];
    const isMoney = value !== undefined && name.endsWith('Micros');
    return [option, isMoney ? dollars(Number(value)).replace('$', '') : value];
  });
  return (
    <Page
      heading="Decisions"
      question="What was decided, and why. The newest comes first."
      same={{ cli: command('decisions list', Object.fromEntries(options)), path }}
    >
      <SearchForm to="/decisions">
        <TextFilter name="agent" label="Agent" field="agent" />
        <TextFilter name="tool" label="Tool" field="tool" />
        <TextFilter name="model" label="Model" field="model" />
        <ChoiceFilter name="verdict" label="Verdict" choices={VERDICTS} unset="any" />
        <TextFilter name="code" label="Code" field="code" />
        <TextFilter name="principal" label="Principal" field="principal" />
        <TextFilter name="policy" label="Policy" field="policy" placeholder="name or name@3" />
        <TextFilter name="text" label="Text in reason or arguments" placeholder="a part of it" />
        <PeriodFilter unset="all time" />
      </SearchForm>
      <p className="quiet">
        Agent, tool, model, code, principal and policy must match whole, also in upper and lower case. Fields
        suggest the names that decisions have. A text may be a part.
      </p>
      {from !== undefined && (
        <details className="panel" onToggle={(event) => setCounted(event.currentTarget.open)}>
          <summary>Verdicts over time</summary>
          {isCounted && <Verdicts given={given} from={from} />}
        </details>
      )}
      {hidden.length > 0 && (
        <p>
          Also filtered by{' '}
          {hidden.map((name) => (
            <code key={name}>
              {name}={given[name]}{' '}
            </code>
          ))}
        </p>
      )}
      <Newer isAbout={isAbout} />
      <Read of={found} what="decisions">
        {({ pages }) => (
          <Found
            decisions={pages.flatMap(({ decisions }) => decisions)}
            list={found}
            empty={nothingFound(given)}
          />
        )}
      </Read>
    </Page>
  );
}

/** The decisions of the pages that were read. The next page is read when its first row comes near. */
function Found({
  decisions,
  list: { hasNextPage, isFetchingNextPage, isError, fetchNextPage },
  empty,
}: {
  decisions: readonly DecisionFound[];
  list: ReturnType<typeof useReadList>;
  empty: string;
}) {
  const isMore = hasNextPage && !isFetchingNextPage && !isError;
  const readOn = useCallback(() => {
    if (isMore) void fetchNextPage();
  }, [isMore, fetchNextPage]);
  if (decisions.length === 0) return <Empty>{empty}</Empty>;
  return (
    <>
      <LongTable
        label="Decisions found, the newest first"
        columns={ALL_DECISION_COLUMNS}
        rows={decisions}
        nameOf={({ id }) => id}
        onEnd={hasNextPage ? readOn : null}
      />
      <p className="quiet" role="status">
        {isFetchingNextPage
          ? 'Reading earlier decisions …'
          : `${counted(decisions.length)} ${decisions.length === 1 ? 'decision' : 'decisions'}${hasNextPage ? ' so far. Scroll on for earlier ones.' : ', and no earlier ones.'}`}
      </p>
    </>
  );
}

/** That an agent asked for nothing in a period is a result, not a failed search. */
function nothingFound(given: Parameters): string {
  const { agent, from, to, ...others } = given;
  if (agent === undefined || from === undefined || Object.values(others).some((one) => one !== undefined))
    return 'No decision matches. Names must be whole: choose one that the field suggests. Remove a filter, or choose a longer period.';
  const period = givenPeriodInWords(from, to, Date.now());
  return `${agent} has asked for nothing ${to === undefined ? period : `in this period: ${period}`}.`;
}

function Verdicts({ given, from }: { given: Readonly<Record<string, string | undefined>>; from: string }) {
  const interval = intervalOf(from);
  const { cursor: _, ...filters } = given;
  const read = useRead<Analytics>(
    withQuery('/v1/audit/analytics', { ...filters, interval, groupBy: 'verdict', timeZone: zone() }),
  );
  return (
    <Read of={read} what="the chart">
      {({ groups }) => (
        <StackedBars
          label="Decisions by time and verdict"
          places={(groups[0]?.buckets ?? []).map(({ start }) => bucketStart(start, interval))}
          series={groups.map(({ group, buckets = [] }) => ({
            name: group.verdict ?? 'none',
            values: buckets.map(({ calls }) => calls),
          }))}
          exact={counted}
          short={counted}
        />
      )}
    </Read>
  );
}
