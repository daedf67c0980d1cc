/** One agent: what it may do, what is left of its budgets, what it did, its open calls, and the changes about it. */
import type { AgentShown, EffectiveShown } from '@mandate/control-service';
import type { KillAnswer } from '@mandate/gateway';
import type { Analytics, BudgetFound, ControlEventFound, DecisionFound } from '@mandate/query';
import { Link, useParams } from '@tanstack/react-router';
import { useCallback } from 'react';
import { withQuery } from '../data/api.ts';
import { command } from '../data/command.ts';
import type { LiveEvent } from '../data/live.ts';
import { dollars, shortDollars } from '../data/money.ts';
import { useRead } from '../data/read.ts';
import { useWhyNot } from '../data/session.ts';
import { bucketStart, zone } from '../data/time.ts';
import { AgentLink } from '../parts/agent-link.tsx';
import { StackedBars } from '../parts/chart.tsx';
import { DecisionTable } from '../parts/decision-table.tsx';
import { EffectiveTable } from '../parts/effective.tsx';
import { EventList } from '../parts/event-list.tsx';
import { useKilling } from '../parts/kill.tsx';
import { May } from '../parts/may.tsx';
import { Newer } from '../parts/newer.tsx';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/problem.tsx';
import { isMissing, Read } from '../parts/read.tsx';
import { Section } from '../parts/section.tsx';
import { Missing } from './missing.tsx';
import { Budgets } from './spend.tsx';

type KillStatus = {
  killed: { scope: KillAnswer['target']['scope']; reason: string; agentId?: string } | null;
};

export function Agent() {
  const { agent = '' } = useParams({ strict: false });
  const { kill, revive } = useKilling();
  const mayNotOperate = useWhyNot('operate');
  const name = encodeURIComponent(agent);
  const status = useRead<KillStatus>(`/v1/agents/${name}/kill-status`);
  const registered = useRead<AgentShown>(`/v1/agents/${name}`);
  const effective = useRead<EffectiveShown>(`/v1/agents/${name}/effective?expand=policies`);
  const decisionsPath = withQuery('/v1/audit/decisions', { agent, limit: 20 });
  const decisions = useRead<{ decisions: DecisionFound[] }>(decisionsPath);
  const budgets = useRead<{ budgets: BudgetFound[] }>(
    withQuery('/v1/audit/analytics/budgets', { scope: 'agent', subject: agent, limit: 20 }),
  );
  const shared = useSharedBudgets(effective.data);
  const spend = useRead<Analytics>(
    withQuery('/v1/audit/analytics', {
      agent,
      from: '7d',
      interval: '1d',
      groupBy: 'verdict',
      timeZone: zone(),
    }),
  );
  const events = useRead<{ events: ControlEventFound[] }>(
    withQuery('/v1/audit/control-events', { agent, limit: 20 }),
  );
  const isAbout = useCallback(
    (event: LiveEvent) => event.kind !== 'skipped' && event.data.agentId === agent,
    [agent],
  );
  const killed = status.data?.killed ?? null;
  const isUnknown =
    isMissing(registered) &&
    killed === null &&
    [decisions.data?.decisions, budgets.data?.budgets, events.data?.events].every(
      (list) => list?.length === 0,
    );
  if (isUnknown) return <NoAgent agent={agent} />;
  return (
    <Page
      heading={agent}
      question="What it may do, what is left, what it did."
      same={{ cli: command('decisions list', { agent }), path: decisionsPath }}
      actions={
        killed === null ? (
          <May whyNot={mayNotOperate} onClick={() => kill({ scope: 'agent', agentId: agent })}>
            Kill
          </May>
        ) : (
          <>
            <strong role="status">■ killed: {killed.reason}</strong>
            {(killed.scope === 'agent' || killed.scope === 'subtree') && (
              <May
                whyNot={mayNotOperate}
                onClick={() =>
                  revive({
                    scope: killed.scope === 'subtree' ? 'subtree' : 'agent',
                    agentId: killed.agentId ?? agent,
                  })
                }
              >
                Revive
              </May>
            )}
          </>
        )
      }
    >
      <Newer isAbout={isAbout} />
      <div className="columns">
        <Section heading="Registered as" isPanel>
          {registered.error?.status === 404 ? (
            <p>
              This agent is not registered. A mandates file may still name it; its decisions say under which
              mandate they were made.
            </p>
          ) : (
            <Read of={registered} what="the agent">
              {({ agent: document }) => (
                <dl>
                  <dt>Groups</dt>
                  <dd>{document.groups?.join(', ') || 'none'}</dd>
                  <dt>Labels</dt>
                  <dd>
                    {Object.entries(document.labels ?? {})
                      .map(([label, value]) => `${label}=${value}`)
                      .join(', ') || 'none'}
                  </dd>
                  <dt>Parent</dt>
                  <dd>{document.parent === undefined ? 'none' : <AgentLink id={document.parent} />}</dd>
                </dl>
              )}
            </Read>
          )}
          <p>
            <Link to="/what-if" search={{ agent }}>
              What it may do now, and what a change would do
            </Link>
          </p>
        </Section>
        <Section heading="Spend of seven days, by verdict" isPanel>
          <Read of={spend} what="the chart">
            {({ groups }) => {
              const [first] = groups;
              return first?.buckets === undefined ? (
                <Empty>Nothing was decided in seven days.</Empty>
              ) : (
                <StackedBars
                  label="Spend by day and verdict"
                  places={first.buckets.map(({ start }) => bucketStart(start, '1d'))}
                  series={groups.map(({ group, buckets = [] }) => ({
                    name: group.verdict ?? 'none',
                    values: buckets.map(({ spentMicros }) => spentMicros),
                  }))}
                  exact={dollars}
                  short={shortDollars}
                />
              );
            }}
          </Read>
        </Section>
      </div>
      <Section heading="What it may do">
        <Read of={effective} what="its policies">
          {(shown) => <EffectiveTable effective={shown} />}
        </Read>
      </Section>
      <Section heading="What is left">
        <Read of={budgets} what="budgets">
          {({ budgets: found }) => (
            <Budgets
              budgets={[...found, ...shared]}
              empty="No decision about this agent has looked at a budget with a limit."
            />
          )}
        </Read>
      </Section>
      <Section heading="What it did, the newest first">
        <Read of={decisions} what="decisions">
          {({ decisions: found }) => (
            <DecisionTable
              label="Its decisions"
              decisions={found}
              isOfOneAgent
              empty="It has asked for nothing."
            />
          )}
        </Read>
        <Link to="/decisions" search={{ agent }}>
          All its decisions
        </Link>
      </Section>
      <Section heading="What changed for it">
        <Read of={events} what="changes">
          {({ events: found }) => <EventList events={found} />}
        </Read>
      </Section>
    </Page>
  );
}

const MOST_BUDGETS = 1_000;

/** The budgets that the policies of an agent share with other agents: those of the tenant, and those of a policy. */
function useSharedBudgets(effective: EffectiveShown | undefined): readonly BudgetFound[] {
  const limits = (effective?.appliedPolicies ?? []).flatMap(({ policy }) =>
    (policy?.budgets ?? []).map(({ id, scope, windowMs = null }) => ({
      scope,
      subject: scope === 'mandate' ? policy?.id : '',
      id,
      windowMs,
    })),
  );
  const pathOf = (scope: BudgetFound['scope']) =>
    limits.some((limit) => limit.scope === scope)
      ? withQuery('/v1/audit/analytics/budgets', { scope, limit: MOST_BUDGETS })
      : null;
  const ofTenant = useRead<{ budgets: BudgetFound[] }>(pathOf('tenant'));
  const ofPolicies = useRead<{ budgets: BudgetFound[] }>(pathOf('mandate'));
  return [...(ofTenant.data?.budgets ?? []), ...(ofPolicies.data?.budgets ?? [])].filter((found) =>
    limits.some(
      ({ scope, subject, id, windowMs }) =>
        scope === found.scope &&
        subject === found.subject &&
        id === found.budgetId &&
        windowMs === found.windowMs,
    ),
  );
}

function NoAgent({ agent }: { agent: string }) {
  const { kill } = useKilling();
  const mayNotOperate = useWhyNot('operate');
  return (
    <Missing
      heading="Agent not found"
      what={`There is no agent «${agent}».`}
      actions={
        <May whyNot={mayNotOperate} onClick={() => kill({ scope: 'agent', agentId: agent })}>
          Kill
        </May>
      }
    >
      <p>
        It is not registered, and it has asked for nothing. A killed agent stays killed, also if it appears
        later.
      </p>
      <p className="row">
        <Link className="button" to="/agents" search={{ q: agent }}>
          Agents with a similar name
        </Link>
        <Link className="button" to="/agents">
          All agents
        </Link>
      </p>
    </Missing>
  );
}
