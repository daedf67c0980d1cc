/**
 * Kills and revives agents. A kill needs two keys and no further question, because a kill is safe. A revive asks for a
 * confirmation.
 */
import type { KillAnswer, KillSetAnswer, ReviveAnswer } from '@mandate/gateway';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo, useRef, useState } from 'react';
import { ApiProblem, send } from '../data/api.ts';
import { dollars } from '../data/money.ts';
import { counted } from '../data/numbers.ts';
import { useRead } from '../data/read.ts';
import { useSession } from '../data/session.ts';
import { Ask } from './ask.tsx';
import { KillCard, type Killed } from './kill-card.tsx';

type Target = { scope: 'agent' | 'subtree'; agentId: string } | { scope: 'tenant' };
/** `openActions`: how many calls of these agents may be running now. */
type AgentSet = {
  scope: 'agents';
  agents: readonly string[];
  openActions: number;
  onKilledAll: () => void;
};
type Killing = { kill: (target: Target | AgentSet) => void; revive: (target: Target) => void };

type Asked = { does: 'kill'; target: Target | AgentSet } | { does: 'revive'; target: Target };

const Context = createContext<Killing>({ kill: () => {}, revive: () => {} });

export function useKilling(): Killing {
  return useContext(Context);
}

/** Shows the dialogs for kills and revives, and the card of each kill above the page. */
export function KillingProvider({ children }: { children: (cards: ReactNode) => ReactNode }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [killed, setKilled] = useState<readonly Killed[]>([]);
  const killing = useMemo<Killing>(
    () => ({
      kill: (target) => setAsked({ does: 'kill', target }),
      revive: (target) => setAsked({ does: 'revive', target }),
    }),
    [],
  );
  const close = () => setAsked(null);
  const cards =
    killed.length === 0 ? null : (
      <div className="stack">
        {killed.map((one) => (
          <KillCard
            key={`${one.answer.commandId} ${one.atMs}`}
            killed={one}
            onClose={() => setKilled(killed.filter((other) => other !== one))}
          />
        ))}
      </div>
    );
  return (
    <Context value={killing}>
      {children(cards)}
      {asked?.does === 'kill' && (
        <Kill
          target={asked.target}
          onClose={close}
          onKilled={(one) => {
            setKilled([one, ...killed]);
            close();
          }}
        />
      )}
      {asked?.does === 'revive' && <Revive target={asked.target} onClose={close} />}
    </Context>
  );
}

function Kill({
  target,
  onClose,
  onKilled,
}: {
  target: Target | AgentSet;
  onClose: () => void;
  onKilled: (killed: Killed) => void;
}) {
  const { tenant } = useSession();
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  const [isSubtree, setSubtree] = useState(target.scope === 'subtree');
  const button = useRef<HTMLInputElement>(null);
  // The plane counts a request with this idempotency key once, so a double Enter or a retry is the same kill.
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  async function kill() {
    const said = reason.trim() === '' ? {} : { reason: reason.trim() };
    const began = performance.now();
    const { answer, warning } = await inForce(sendKill(said));
    onKilled({ answer, tookMs: performance.now() - began, atMs: Date.now(), warning });
    if (target.scope === 'agents') target.onKilledAll();
    void queries.invalidateQueries({ queryKey: ['read'] });
  }
  function sendKill(said: { reason?: string }) {
    if (target.scope === 'tenant')
      return send<KillAnswer>('POST', '/v1/kill', { body: { scope: 'tenant', ...said }, idempotencyKey });
    if (target.scope === 'agents') {
      const body = { scope: 'agents', agents: target.agents, ...said, subtree: isSubtree };
      return send<KillSetAnswer>('POST', '/v1/kill', { body, idempotencyKey });
    }
    return send<KillAnswer>('POST', `/v1/agents/${encodeURIComponent(target.agentId)}/kill`, {
      body: { ...said, subtree: isSubtree },
      idempotencyKey,
    });
  }
  const isTenant = target.scope === 'tenant';
  return (
    <Ask
      title={`Kill ${whoIs(target, tenant)}?`}
      does={isTenant ? 'Kill them all' : 'Kill'}
      isGrave
      onDo={kill}
      onClose={onClose}
      first={button}
    >
      <p>
        {isTenant
          ? 'Nothing is allowed to any agent of this tenant until you revive it, and agents that appear later are killed too.'
          : target.scope === 'agents'
            ? `Nothing is allowed to ${namesOf(target.agents)} until you revive them. ${openIs(target.openActions)}`
            : 'Nothing is allowed to this agent until you revive it.'}{' '}
        Calls that were allowed before may still run; the card that follows names them.
      </p>
      <label>
        Reason (optional; the agent sees it)
        <input
          ref={button}
          value={reason}
          maxLength={500}
          onChange={(event) => setReason(event.target.value)}
        />
      </label>
      {!isTenant && (
        <label className="beside">
          <input type="checkbox" checked={isSubtree} onChange={(event) => setSubtree(event.target.checked)} />
          Kill {target.scope === 'agents' ? 'their' : 'its'} descendants too
        </label>
      )}
      <p className="quiet">Enter kills. Escape closes this question.</p>
    </Ask>
  );
}

/** Returns the answer also if the kill is in force but not yet on the log. Throws any other problem. */
async function inForce(
  sending: Promise<{ body: KillAnswer | KillSetAnswer }>,
): Promise<Pick<Killed, 'answer' | 'warning'>> {
  try {
    return { answer: (await sending).body, warning: null };
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== 'KILL_IN_FORCE_NOT_ON_LOG') throw error;
    return { answer: error.kill as KillAnswer | KillSetAnswer, warning: error.remedy };
  }
}

function whoIs(target: Target | AgentSet, tenant: string): string {
  if (target.scope === 'tenant') return `every agent of ${tenant}`;
  return target.scope === 'agents' ? countedAgents(target.agents.length) : target.agentId;
}

function countedAgents(count: number): string {
  return `${counted(count)} ${count === 1 ? 'agent' : 'agents'}`;
}

/** The maximum number of agents that the dialog names. */
const NAMED = 10;

function namesOf(agents: readonly string[]): string {
  const more = agents.length - NAMED;
  return `${agents.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${countedAgents(more)} more` : ''}`;
}

function openIs(openActions: number): string {
  return `They have ${counted(openActions)} open ${openActions === 1 ? 'call' : 'calls'}.`;
}

/**
 * A revived agent without money is blocked at once. So the remaining budget is read from the ledger. The audit does not
 * record this read.
 */
function LeftToSpend({ agentId }: { agentId: string }) {
  const { data } = useRead<{ remainingMicros: number | null }>(
    `/v1/agents/${encodeURIComponent(agentId)}/usage`,
  );
  if (data?.remainingMicros == null) return null;
  return data.remainingMicros > 0 ? (
    <p>{dollars(data.remainingMicros)} is left of its budget.</p>
  ) : (
    <p role="alert">
      <strong>Nothing is left of its budget.</strong> Calls that cost money stay blocked until a budget is
      raised, or its window has passed.
    </p>
  );
}

function Revive({ target, onClose }: { target: Target; onClose: () => void }) {
  const { tenant } = useSession();
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  async function revive() {
    const said = { reason: reason.trim() };
    await (target.scope === 'tenant'
      ? send<ReviveAnswer>('POST', '/v1/revive', { body: { scope: 'tenant', ...said }, idempotencyKey })
      : send<ReviveAnswer>('POST', `/v1/agents/${encodeURIComponent(target.agentId)}/revive`, {
          body: { ...said, subtree: target.scope === 'subtree' },
          idempotencyKey,
        }));
    onClose();
    void queries.invalidateQueries({ queryKey: ['read'] });
  }
  return (
    <Ask
      title={`Revive ${target.scope === 'tenant' ? `the tenant ${tenant}` : target.agentId}?`}
      does="Revive"
      whyNot={reason.trim() === '' ? 'Say why it may run again.' : null}
      onDo={revive}
      onClose={onClose}
    >
      <p>It may act again at once, as far as its mandate allows.</p>
      {target.scope !== 'tenant' && <LeftToSpend agentId={target.agentId} />}
      <label>
        Reason
        <input value={reason} maxLength={500} required onChange={(event) => setReason(event.target.value)} />
      </label>
    </Ask>
  );
}
