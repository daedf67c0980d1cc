/**
 * One decision: why it was made, what would have changed it, which rule led to it, and what came before and after it.
 */

import type { Explanation } from '@mandate/query';
import { withDurationsInWords } from '@mandate/schemas/duration-in-words';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { command, quoted } from '../data/command.ts';
import { titleOf } from '../data/events.ts';
import { dollars } from '../data/money.ts';
import { useRead } from '../data/read.ts';
import { AgentLink } from '../parts/agent-link.tsx';
import { By } from '../parts/by.tsx';
import { DecisionTable } from '../parts/decision-table.tsx';
import { Money } from '../parts/money.tsx';
import { Page } from '../parts/page.tsx';
import { isMissing, Read } from '../parts/read.tsx';
import { Section } from '../parts/section.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Verdict } from '../parts/verdict.tsx';
import { When } from '../parts/when.tsx';
import { Missing } from './missing.tsx';

export function Decision() {
  const { id = '' } = useParams({ strict: false });
  const path = `/v1/audit/decisions/${encodeURIComponent(id)}/explain`;
  const read = useRead<Explanation>(path);
  if (isMissing(read))
    return (
      <Missing heading="Decision not found" what={`There is no decision «${id}».`}>
        <p>A new decision may take a second to appear. The audit keeps decisions for a limited time.</p>
        <p className="row">
          <button type="button" onClick={() => void read.refetch()}>
            Look again
          </button>
          <Link className="button" to="/decisions" search={{ actionId: id }}>
            Decisions about an action with this id
          </Link>
          <Link className="button" to="/decisions">
            All decisions
          </Link>
        </p>
      </Missing>
    );
  return (
    <Page
      heading="Decision"
      name={`Decision ${id}`}
      question={<code>{id}</code>}
      same={{ cli: command(`decisions explain ${quoted(id)}`), path }}
    >
      <Read of={read} what="the decision">
        {(told) => <Told {...told} />}
      </Read>
    </Page>
  );
}

function Told(told: Explanation) {
  const {
    decision,
    checks,
    change,
    limits,
    settlements,
    policyVersions,
    mandate,
    kills,
    killsAfter,
    approvals,
  } = told;
  const { action } = decision;
  return (
    <div className="stack">
      <section className="panel stack" aria-labelledby="verdict">
        <div className="row">
          <Verdict is={decision.verdict} />
          <h2 id="verdict">{withDurationsInWords(decision.reason)}</h2>
        </div>
        <dl>
          <dt>Agent</dt>
          <dd>
            <AgentLink id={decision.agentId} />
          </dd>
          <dt>Action</dt>
          <dd>
            {'tool' in action ? action.tool : 'model' in action ? action.model : action.type},{' '}
            <Link to="/decisions" search={{ actionId: decision.actionId }}>
              <code>{decision.actionId}</code>
            </Link>
            {decision.attempt > 1 && `, attempt ${decision.attempt}`}
          </dd>
          {action.principal !== undefined && (
            <>
              <dt>For</dt>
              <dd>
                <Link to="/decisions" search={{ principal: action.principal.id }}>
                  {action.principal.id}
                </Link>
                {action.principal.role !== undefined && `, ${action.principal.role}`}
              </dd>
            </>
          )}
          <dt>Code</dt>
          <dd>
            <code>{decision.code}</code>
          </dd>
          <dt>Charged</dt>
          <dd>
            <Money micros={decision.chargedMicros} />
          </dd>
          <dt>Decided</dt>
          <dd>
            <When at={decision.decidedAt} />
          </dd>
          <dt>Log</dt>
          <dd>
            <code>
              {told.log.topic}/{told.log.partition}/{told.log.offset}
            </code>
          </dd>
        </dl>
        {'args' in action && action.args !== undefined && (
          <details>
            <summary>Arguments</summary>
            <pre>{JSON.stringify(action.args, null, 2)}</pre>
          </details>
        )}
      </section>

      {(change.needs.length > 0 || change.near.length > 0) && (
        <Section heading="What would have changed it" isPanel>
          {change.needs.map((need) => (
            <div key={`${need.check} ${need.why}`} className="stack">
              <p>{need.why}</p>
              <ul className="row" style={{ listStyle: 'none', padding: 0, margin: 0 }}>
                {need.anyOf.filter(isPossible).map((way) => (
                  <li key={way.words}>
                    <WayOut way={way} told={told} />
                  </li>
                ))}
              </ul>
            </div>
          ))}
          {change.near.map((one) => (
            <p key={one.check}>
              Narrowly passed: {one.why}; {one.words}.
            </p>
          ))}
          {change.unasked.length > 0 && (
            <p className="quiet">Not asked, and might still object: {change.unasked.join(', ')}.</p>
          )}
        </Section>
      )}

      <Section heading={decision.verdict === 'ALLOW' ? 'Who allowed it' : 'Whose rule it is'} isPanel>
        {mandate === null ? (
          <p>No mandate applies to this agent.</p>
        ) : (
          <p>
            {mandate.rules.length === 0 ? (
              <>
                Mandate <code>{mandate.id}</code>.
              </>
            ) : (
              <>
                By the {mandate.rules.length === 1 ? 'rule' : 'rules'}{' '}
                <Link to="/policies">
                  <code>{mandate.rules.join(', ')}</code>
                </Link>
                .
              </>
            )}
          </p>
        )}
        {policyVersions.length > 0 && (
          <ul>
            {policyVersions.map(({ policy, published }) => (
              <li key={policy}>
                <Link to="/policies/$id" params={{ id: policy.replace(/@\d+$/, '') }}>
                  {policy}
                </Link>
                {published === null ? (
                  <span className="quiet"> (its publication is not in the audit)</span>
                ) : (
                  <>
                    : published by <By who={published.by} />, <When at={published.publishedAt} />
                    {published.reason !== '' && <>, because «{published.reason}»</>}.{' '}
                    <Link to="/decisions" search={{ policy }}>
                      Every decision under it
                    </Link>
                  </>
                )}
              </li>
            ))}
          </ul>
        )}
        <Events of={[...approvals, ...kills]} />
        {killsAfter.length > 0 && (
          <>
            <p className="quiet">After the decision, this killed the agent:</p>
            <Events of={killsAfter} />
          </>
        )}
      </Section>

      <Section heading="Checks">
        <Table label="Checks" columns={CHECK_COLUMNS} rows={checks} nameOf={(_, index) => String(index)} />
      </Section>

      {limits.budgets.length > 0 && (
        <Section heading="Budgets, before and after">
          <Table
            label="Budgets"
            columns={BUDGET_COLUMNS}
            rows={limits.budgets}
            nameOf={({ scope, ancestor = '', id, windowMs }) => `${scope} ${ancestor} ${id} ${windowMs}`}
          />
        </Section>
      )}

      {settlements.length > 0 && (
        <Section heading="What outcomes did to the charge" isPanel>
          <ul>
            {settlements.map((one) => (
              <li key={one.id}>
                {one.kind} {one.status !== null && one.status}, <When at={one.settledAt} />:{' '}
                {dollars(one.deltaMicros)}, so the action cost <Money micros={one.chargedMicros} />
              </li>
            ))}
          </ul>
        </Section>
      )}

      <Others heading="Decisions of the agent before" of={told.before} />
      <Others heading="Decisions of the agent after" of={told.after} />
      <Others heading="Other decisions on this action" of={told.sameAction} />
      <Others heading="The action that caused this one" of={told.parents} />
      <Others heading="Actions that this one caused" of={told.children} />
      <details className="panel">
        <summary>The record, as on the log</summary>
        <pre>{JSON.stringify(decision, null, 2)}</pre>
      </details>
    </div>
  );
}

const CHECK_COLUMNS: readonly Column<Explanation['checks'][number]>[] = [
  { head: 'Check', look: 'code', isClear: true, cell: ({ check }) => check },
  { head: 'Result', isClear: true, cell: ({ result }) => result },
  { head: 'What it found', look: 'wide', isClear: true, cell: ({ words }) => words },
  {
    head: 'Where its limit comes from',
    look: 'wide',
    cell: ({ bound }) => bound !== null && [bound.policy, bound.field].filter(Boolean).join(', '),
  },
];

const BUDGET_COLUMNS: readonly Column<Explanation['limits']['budgets'][number]>[] = [
  {
    head: 'Budget',
    isClear: true,
    look: 'wide',
    cell: ({ scope, id, ancestor }) => `${scope} «${id}»${ancestor === undefined ? '' : ` of ${ancestor}`}`,
  },
  { head: 'Before', look: 'number', cell: ({ beforeMicros }) => <Money micros={beforeMicros} /> },
  { head: 'After', look: 'number', cell: ({ afterMicros }) => <Money micros={afterMicros} /> },
  {
    head: 'Limit',
    look: 'number',
    cell: ({ maxMicros }) => (maxMicros === null ? 'none' : <Money micros={maxMicros} />),
  },
];

function Events({ of: events }: { of: Explanation['kills'] }) {
  return events.map((event) => (
    <p key={`${event.event} ${event.id}`}>
      {titleOf(event.event)} by <By who={event.by} />, <When at={event.happenedAt} />
      {event.reason !== '' && <>, because «{event.reason}»</>}.
    </p>
  ));
}

type Need = Explanation['change']['needs'][number];
type Way = Need['anyOf'][number];

/** A call that costs nothing is not a change that a person can make. */
function isPossible({ atMostMicros }: Way): boolean {
  return atMostMicros !== 0;
}

/** A change that would have met a need, as a link to the page on which a person can make it. */
function WayOut({ way, told }: { way: Way; told: Explanation }): ReactNode {
  const { decision } = told;
  const [policy] = decision.mandate?.policies ?? [];
  if (way.way === 'approval')
    return (
      <Link className="button" to="/approvals" search={{ agent: decision.agentId }}>
        {way.words}
      </Link>
    );
  if (way.way === 'revive')
    return (
      <Link className="button" to="/agents/$agent" params={{ agent: decision.agentId }}>
        {way.words}
      </Link>
    );
  if (way.field !== undefined && policy !== undefined)
    return (
      <Link
        className="button"
        to="/policies/$id"
        params={{ id: policy.replace(/@\d+.*$/, '') }}
        search={{
          field: way.field,
          ...(way.atLeastMicros !== undefined && { atLeastMicros: String(way.atLeastMicros) }),
          ...(way.name !== undefined && { name: way.name }),
        }}
      >
        {way.words}
      </Link>
    );
  return <span>{way.words}</span>;
}

function Others({ heading, of: { decisions, more } }: { heading: string; of: Explanation['before'] }) {
  if (decisions.length === 0) return null;
  return (
    <Section heading={`${heading}, the newest first`}>
      <DecisionTable label={heading} decisions={decisions} />
      {more && <p className="quiet">There are more than these.</p>}
    </Section>
  );
}
