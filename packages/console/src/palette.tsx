/** The command palette: kills and revives agents, and goes to pages, agents, policies, rules, keys and decisions. */
import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import type { DocumentsFound } from '@mandate/control-service';
import type { AgentInLedger } from '@mandate/gateway';
import type { IdFound } from '@mandate/query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { withQuery } from './data/api.ts';
import { useLive } from './data/live.ts';
import { useRead } from './data/read.ts';
import { useWhyNot } from './data/session.ts';
import { useKilling } from './parts/kill.tsx';
import styles from './parts/parts.module.css';
import shell from './shell.module.css';

export const PAGES = [
  ['/', 'Now'],
  ['/agents', 'Agents'],
  ['/decisions', 'Decisions'],
  ['/approvals', 'Approvals'],
  ['/spend', 'Spend'],
  ['/policies', 'Policies'],
  ['/what-if', 'What-if'],
  ['/changes', 'Changes'],
  ['/system', 'System'],
] as const;

type Command = { label: string; run: () => void };

export function Palette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const { kill, revive } = useKilling();
  const mayNotOperate = useWhyNot('operate');
  const { decisions } = useLive();
  const { data } = useRead<{ agents: AgentInLedger[] }>('/v1/ledger/agents?limit=1000');
  const [text, setText] = useState('');
  const found = useFound(text);
  const commands = useMemo((): Command[] => {
    const names = new Set([
      ...(data?.agents.map(({ agentId }) => agentId) ?? []),
      ...decisions.map(({ agentId }) => agentId),
    ]);
    const killed = new Set(
      data?.agents.filter(({ killed }) => killed !== null).map(({ agentId }) => agentId),
    );
    const mayOperate = mayNotOperate === null;
    // The agent itself comes before the command to kill it, so that a name and two quick keys kill nothing.
    const agents = [...names].flatMap((agentId): Command[] => [
      {
        label: `agent ${agentId}`,
        run: () => void navigate({ to: '/agents/$agent', params: { agent: agentId } }),
      },
      ...(mayOperate ? [{ label: `kill ${agentId}`, run: () => kill({ scope: 'agent', agentId }) }] : []),
      ...(mayOperate && killed.has(agentId)
        ? [{ label: `revive ${agentId}`, run: () => revive({ scope: 'agent', agentId }) }]
        : []),
    ]);
    return [
      ...PAGES.map(([to, label]) => ({ label: `go to ${label}`, run: () => void navigate({ to }) })),
      ...agents,
      ...found,
      ...(mayOperate
        ? [{ label: 'kill every agent of this tenant', run: () => kill({ scope: 'tenant' }) }]
        : []),
    ];
  }, [data, decisions, found, mayNotOperate, navigate, kill, revive]);
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.dialog} aria-label="Commands">
          <Autocomplete.Root
            inline
            open
            items={commands}
            itemToStringValue={(command: Command) => command.label}
            autoHighlight="always"
            keepHighlight
            limit={30}
            value={text}
            onValueChange={setText}
          >
            <Autocomplete.Input
              className={shell.palette}
              aria-label="Command"
              placeholder="kill …, agent …, go to …, a policy, or the id of a decision or an action"
            />
            <Autocomplete.Empty className="quiet">No command has this name.</Autocomplete.Empty>
            <Autocomplete.List className={shell.list}>
              {(command: Command) => (
                <Autocomplete.Item
                  key={command.label}
                  value={command}
                  className={styles.item}
                  onClick={() => {
                    onClose();
                    command.run();
                  }}
                >
                  {command.label}
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** A search begins after a pause of this length in the typing, because the audit records each search. */
const QUIET_MS = 300;
const SHORTEST = 3;

/** Finds policies, rules and keys by a part of their name, and decisions by the beginning of an id. */
function useFound(text: string): readonly Command[] {
  const navigate = useNavigate();
  const [q, setQ] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setQ(text.trim()), QUIET_MS);
    return () => clearTimeout(timer);
  }, [text]);
  // Commands have blanks. Names and ids have none.
  const isAsked = q.length >= SHORTEST && !q.includes(' ');
  const mayNotRead = useWhyNot('author', 'audit', 'admin');
  const mayNotAudit = useWhyNot('audit');
  const documents = useRead<DocumentsFound>(
    isAsked && mayNotRead === null ? withQuery('/v1/search', { q }) : null,
  );
  const ids = useRead<{ decisions: IdFound[] }>(
    isAsked && mayNotAudit === null ? withQuery('/v1/audit/search', { q }) : null,
  );
  return useMemo(() => {
    if (!isAsked) return [];
    const { policies = [], rules = [], keys = [] } = documents.data ?? {};
    return [
      ...policies.map(({ id }) => ({
        label: `policy ${id}`,
        run: () => void navigate({ to: '/policies/$id', params: { id } }),
      })),
      ...rules.map(({ id, policy }) => ({
        label: `rule ${id}, gives ${policy}`,
        run: () => void navigate({ to: '/policies' }),
      })),
      ...keys.map(({ id, name, role }) => ({
        label: `key ${name} (${role}, ${id})`,
        run: () => void navigate({ to: '/changes', search: { by: id } }),
      })),
      ...(ids.data?.decisions ?? []).map(({ id, agentId, actionId, subject, verdict }) => ({
        label: `decision ${id}: ${verdict}, ${agentId}, ${subject ?? 'action'} ${actionId}`,
        run: () => void navigate({ to: '/decisions/$id', params: { id } }),
      })),
    ];
  }, [isAsked, documents.data, ids.data, navigate]);
}
