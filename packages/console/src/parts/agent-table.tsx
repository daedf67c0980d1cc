import type { AgentInLedger } from '@mandate/gateway';
import { useWhyNot } from '../data/session.ts';
import { AgentLink } from './agent-link.tsx';
import { useKilling } from './kill.tsx';
import { May } from './may.tsx';
import { Money } from './money.tsx';
import { type Column, Table } from './table.tsx';

const STATES = {
  registered: 'registered',
  retired: 'retired',
  named: 'in the mandates file',
  unknown: 'not registered',
} as const;

const COLUMNS: readonly Column<AgentInLedger>[] = [
  {
    head: 'Agent',
    isHead: true,
    cell: ({ agentId }) => <AgentLink id={agentId} />,
  },
  { head: 'Spent', look: 'number', cell: ({ spentMicros }) => <Money micros={spentMicros} /> },
  { head: 'Open calls', look: 'number', cell: ({ openActions }) => openActions },
  {
    head: 'State',
    isClear: true,
    cell: ({ killed, status }) =>
      killed === null ? STATES[status ?? 'unknown'] : <strong title={killed.reason}>■ killed</strong>,
  },
  { head: 'Actions', isHeadHidden: true, cell: (agent) => <KillOrRevive {...agent} /> },
];

/** @param choosing the selection of agents. Absent: rows cannot be selected */
export function AgentTable({
  agents,
  empty,
  choosing,
}: {
  agents: readonly AgentInLedger[];
  empty: string;
  choosing?: { isChosen: (agentId: string) => boolean; onChoose: (agentId: string, is: boolean) => void };
}) {
  const columns: readonly Column<AgentInLedger>[] =
    choosing === undefined
      ? COLUMNS
      : [
          {
            head: 'Chosen',
            isHeadHidden: true,
            cell: ({ agentId, killed }) =>
              killed === null && (
                <input
                  type="checkbox"
                  aria-label={`Choose ${agentId}`}
                  checked={choosing.isChosen(agentId)}
                  onChange={({ target }) => choosing.onChoose(agentId, target.checked)}
                />
              ),
          },
          ...COLUMNS,
        ];
  return (
    <Table label="Agents" columns={columns} rows={agents} nameOf={({ agentId }) => agentId} empty={empty} />
  );
}

function KillOrRevive({ agentId, killed }: AgentInLedger) {
  const { kill, revive } = useKilling();
  const whyNot = useWhyNot('operate');
  if (killed === null)
    return (
      <May whyNot={whyNot} aria-label={`Kill ${agentId}`} onClick={() => kill({ scope: 'agent', agentId })}>
        Kill
      </May>
    );
  const { scope, agentId: killedAs = agentId } = killed;
  // A kill of the tenant or of all tenants is revived as a whole.
  if (scope !== 'agent' && scope !== 'subtree') return null;
  return (
    <May
      whyNot={whyNot}
      aria-label={`Revive ${agentId}`}
      onClick={() => revive({ scope, agentId: killedAs })}
    >
      Revive
    </May>
  );
}
