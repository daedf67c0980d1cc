/**
 * What would be allowed if a policy were different. The policy engine of the plane computes the answers in this
 * browser.
 */
import type { AgentInLedger } from '@mandate/gateway';
import type { Analytics } from '@mandate/query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { command, quoted } from '../data/command.ts';
import { useParameters } from '../data/parameters.ts';
import { useRead } from '../data/read.ts';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/problem.tsx';
import { Read } from '../parts/read.tsx';
import { SearchForm, TextFilter } from '../parts/search-form.tsx';
import { useInForce } from '../policy/in-force.ts';
import { Matrix } from '../policy/matrix.tsx';
import type { InForce } from '../policy/messages.ts';
import { type Draft, DraftNotes, PolicyEditor } from '../policy/policy-editor.tsx';

/** The maximum number of agents and tools in the matrix. */
const MOST = { agents: 40, tools: 20 };

export function WhatIf() {
  const { agent, tool } = useParameters();
  const inForce = useInForce();
  const used = useRead<Analytics>('/v1/audit/analytics?groupBy=tool&from=30d&limit=20');
  const ledger = useRead<{ agents: AgentInLedger[]; next: string | null }>('/v1/ledger/agents?limit=1000');
  return (
    <Page
      heading="What-if"
      question="What would be allowed if a policy were another. Nothing is published here."
      same={agent === undefined ? {} : { cli: command(`preview ${quoted(agent)}`, { tool }) }}
    >
      <Read of={inForce} what="the documents in force">
        {(documents) => (
          <Read of={used} what="the tools in use">
            {({ groups }) => (
              <Read of={ledger} what="the kills">
                {({ agents, next }) => (
                  <Tried
                    inForce={documents}
                    used={groups.flatMap(({ group }) => group.tool ?? [])}
                    inLedger={agents}
                    isWholeLedger={next === null}
                  />
                )}
              </Read>
            )}
          </Read>
        )}
      </Read>
    </Page>
  );
}

function Tried({
  inForce,
  used,
  inLedger,
  isWholeLedger,
}: {
  inForce: InForce;
  used: readonly string[];
  inLedger: readonly AgentInLedger[];
  isWholeLedger: boolean;
}) {
  const { policy: policyId, agent, tool } = useParameters();
  const navigate = useNavigate();
  const [draft, setDraft] = useState<Draft | null>(null);
  const newest = useMemo(
    () =>
      new Map(inForce.policies.filter((one) => !one.isArchived).map((one) => [one.policy.id, one.policy])),
    [inForce],
  );
  const chosen = policyId === undefined ? undefined : newest.get(policyId);
  const killed = useMemo(
    () => new Map(inLedger.flatMap(({ agentId, killed: kill }) => (kill ? [[agentId, kill.reason]] : []))),
    [inLedger],
  );
  const agents = useMemo(() => {
    const all = inForce.agents.map(({ id }) => id);
    const wanted =
      agent === undefined ? all : [...new Set([agent, ...all])].filter((id) => id.includes(agent));
    return wanted.slice(0, MOST.agents);
  }, [inForce, agent]);
  const tools = useMemo(() => {
    const written = [...newest.values()].flatMap(({ allowedTools = [], deniedTools = [] }) => [
      ...allowedTools,
      ...deniedTools,
    ]);
    const plain = written.filter((name) => !/[*?[\]{}!]/.test(name));
    const all = [...new Set([...(tool === undefined ? [] : [tool]), ...used, ...plain])];
    return (tool === undefined ? all : all.filter((name) => name.includes(tool))).slice(0, MOST.tools);
  }, [newest, used, tool]);
  return (
    <div className="stack">
      <SearchForm to="/what-if">
        <TextFilter name="agent" label="Agent" field="agent" placeholder="a part of its name" />
        <TextFilter name="tool" label="Tool" field="tool" placeholder="a part of its name" />
        {policyId !== undefined && <input type="hidden" name="policy" value={policyId} />}
      </SearchForm>
      <label>
        A draft of
        <select
          value={chosen?.id ?? ''}
          onChange={(event) => {
            setDraft(null);
            void navigate({
              to: '/what-if',
              search: { agent, tool, policy: event.target.value === '' ? undefined : event.target.value },
            });
          }}
        >
          <option value="">no policy: what is in force</option>
          {[...newest.keys()].map((id) => (
            <option key={id}>{id}</option>
          ))}
        </select>
      </label>
      {newest.size === 0 && <Empty>No policy is published. Mandates of a file cannot be tried here.</Empty>}
      {chosen !== undefined && (
        <>
          <PolicyEditor key={chosen.id} policy={chosen} inForce={inForce} onDraft={setDraft} />
          {draft !== null && <DraftNotes draft={draft} />}
        </>
      )}
      <Matrix agents={agents} tools={tools} draft={draft} inForce={inForce} killed={killed} />
      <p className="quiet">
        {agents.length} of {inForce.agents.length} registered agents and {tools.length} tools are shown.
        {!isWholeLedger && ' Kills are marked for the first 1,000 agents by name only.'}
      </p>
    </div>
  );
}
