/** Every agent: who is registered, who spends, who is stopped. */
import type { AgentInLedger } from '@mandate/gateway';
import { Link } from '@tanstack/react-router';
import { withQuery } from '../data/api.ts';
import { command } from '../data/command.ts';
import { useParameters } from '../data/parameters.ts';
import { useRead } from '../data/read.ts';
import { AgentTable } from '../parts/agent-table.tsx';
import { Page } from '../parts/page.tsx';
import { Read } from '../parts/read.tsx';
import { ChoiceFilter, SearchForm, TextFilter } from '../parts/search-form.tsx';

const STATES = [
  ['stopped', 'stopped'],
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
      (state === 'stopped' && killed !== null) ||
      (state === 'registered' && status === 'registered') ||
      (state === 'unregistered' && status === null) ||
      (state === 'open' && openActions > 0));
  return (
    <Page
      heading="Agents"
      question="Who is registered, who spends, who is stopped."
      same={{ cli: command('agents list'), path }}
    >
      <SearchForm to="/agents">
        <TextFilter name="q" label="Name contains" />
        <ChoiceFilter name="state" label="State" choices={STATES} unset="any" />
      </SearchForm>
      <Read of={read} what="agents">
        {({ agents, next }) => (
          <>
            <AgentTable
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
