/** Every agent, with its registration, its spend and its kill state. */
import type { AgentInLedger } from '@mandate/gateway';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { withQuery } from '../data/api.ts';
import { command } from '../data/command.ts';
import { counted } from '../data/numbers.ts';
import { useParameters } from '../data/parameters.ts';
import { useRead } from '../data/read.ts';
import { useWhyNot } from '../data/session.ts';
import { AgentTable } from '../parts/agent-table.tsx';
import { useKilling } from '../parts/kill.tsx';
import { May } from '../parts/may.tsx';
import { Page } from '../parts/page.tsx';
import { Read } from '../parts/read.tsx';
import { ChoiceFilter, SearchForm, TextFilter } from '../parts/search-form.tsx';

const STATES = [
  ['killed', 'killed'],
  ['registered', 'registered'],
  ['unregistered', 'not registered'],
  ['open', 'with open calls'],
] as const;

export function Agents() {
  const search = useParameters();
  const { q = '', state, after } = search;
  const path = withQuery('/v1/ledger/agents', { limit: 1_000, after });
  const read = useRead<{ agents: AgentInLedger[]; next: string | null }>(path);
  const isWanted = ({ agentId, killed, status, openActions }: AgentInLedger) =>
    agentId.toLowerCase().includes(q.toLowerCase()) &&
    (state === undefined ||
      (state === 'killed' && killed !== null) ||
      (state === 'registered' && status === 'registered') ||
      (state === 'unregistered' && status === null) ||
      (state === 'open' && openActions > 0));
  return (
    <Page
      heading="Agents"
      question="Who is registered, who spends, who is killed."
      same={{ cli: command('agents list'), path }}
    >
      <SearchForm to="/agents">
        <TextFilter name="q" label="Name contains" placeholder="a part of it" />
        <ChoiceFilter name="state" label="State" choices={STATES} unset="any" />
      </SearchForm>
      <Read of={read} what="agents">
        {({ agents, next }) => (
          <>
            <ChosenAgents
              agents={agents.filter(isWanted)}
              empty={
                agents.length === 0
                  ? 'No agent is known yet. Agents appear with their first action.'
                  : 'No agent matches. Remove a filter.'
              }
            />
            {next !== null && (
              <Link className="button" to="/agents" search={{ ...search, after: next }}>
                Next agents
              </Link>
            )}
          </>
        )}
      </Read>
    </Page>
  );
}

/** The maximum number of agents that one kill names. */
const MOST = 100;

/**
 * A table of agents of which several can be killed at once. Only selected agents that the table still shows are killed.
 */
function ChosenAgents({ agents, empty }: { agents: readonly AgentInLedger[]; empty: string }) {
  const { kill } = useKilling();
  const mayNotOperate = useWhyNot('operate');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const running = agents.filter(({ killed }) => killed === null);
  const shown = running.filter(({ agentId }) => chosen.has(agentId));
  const whyNot =
    (shown.length === 0 ? 'Choose agents in the table first.' : null) ??
    (shown.length > MOST ? `One kill names at most ${MOST} agents.` : null);
  function choose(agentId: string, is: boolean) {
    const next = new Set(chosen);
    if (is) next.add(agentId);
    else next.delete(agentId);
    setChosen(next);
  }
  return (
    <>
      <div className="row">
        <May
          whyNot={mayNotOperate ?? whyNot}
          onClick={() =>
            kill({
              scope: 'agents',
              agents: shown.map(({ agentId }) => agentId),
              openActions: shown.reduce((sum, { openActions }) => sum + openActions, 0),
              onKilledAll: () => setChosen(new Set()),
            })
          }
        >
          {shown.length === 0
            ? 'Kill the chosen agents'
            : `Kill ${counted(shown.length)} ${shown.length === 1 ? 'agent' : 'agents'}`}
        </May>
        {shown.length > 0 ? (
          <button type="button" onClick={() => setChosen(new Set())}>
            Choose none
          </button>
        ) : (
          running.length > 0 && (
            <button
              type="button"
              onClick={() => setChosen(new Set(running.slice(0, MOST).map(({ agentId }) => agentId)))}
            >
              {running.length > MOST ? `Choose the first ${MOST}` : 'Choose all'}
            </button>
          )
        )}
      </div>
      <AgentTable
        agents={agents}
        empty={empty}
        choosing={{ isChosen: (agentId) => chosen.has(agentId), onChoose: choose }}
      />
    </>
  );
}
